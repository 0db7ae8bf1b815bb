-- Closes gates briefly, unless inventory was released after the decision that says "sold out".
-- KEYS: gates of one event. ARGV: duration (ms), start of the keys' retention (ms), then the releases and the name of each
-- ticket type.
for i, gate in ipairs(KEYS) do
  local releases, name = ARGV[2 * i + 1], ARGV[2 * i + 2]
  local known = string.match(redis.call('GET', gate) or '', '^%a+ (%d+)')
  if not known or tonumber(known) <= tonumber(releases) then
    redis.call('SET', gate, 'closed ' .. releases .. ' ' .. ARGV[2] .. ' ' .. name, 'PX', ARGV[1])
  end
end
