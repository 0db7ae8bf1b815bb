-- Opens gates, unless a later decision has already said "sold out" again.
-- KEYS: gates of one event. ARGV: for how many ms a late "sold out" is to be known for what it is, then the releases of each.
for i, gate in ipairs(KEYS) do
  local releases = ARGV[i + 1]
  local known = string.match(redis.call('GET', gate) or '', '^%a+ (%d+)')
  if not known or tonumber(known) < tonumber(releases) then
    redis.call('SET', gate, 'open ' .. releases, 'PX', ARGV[1])
  end
end
