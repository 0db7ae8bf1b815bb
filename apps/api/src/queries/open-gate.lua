-- Opens gates, unless a later decision has already said "sold out" again, and tells all tasks.
-- KEYS: gates of one event. ARGV: how long (ms) to remember the release, so that a late "sold out" is recognised as stale; the
-- tasks' channel; then the releases of each ticket type.
for i, gate in ipairs(KEYS) do
  local releases = ARGV[i + 2]
  local known = string.match(redis.call('GET', gate) or '', '^%a+ (%d+)')
  if not known or tonumber(known) < tonumber(releases) then
    redis.call('SET', gate, 'open ' .. releases, 'PX', ARGV[1])
    redis.call('PUBLISH', ARGV[2], 'opened ' .. string.match(gate, '[^:]+$'))
  end
end
