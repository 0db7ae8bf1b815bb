-- Closes gates until an instant, unless it has passed, or inventory was released after the decision that says "sold out". Tells
-- all tasks of a gate that was open.
-- KEYS: gates of one event. ARGV: the instant (ms, Redis's clock), start of the keys' retention (ms), the tasks' channel, then the
-- releases and the name of each ticket type.
local time = redis.call('TIME')
if tonumber(ARGV[1]) <= time[1] * 1000 + time[2] / 1000 then return end
for i, gate in ipairs(KEYS) do
  local releases, name = ARGV[2 * i + 2], ARGV[2 * i + 3]
  local state, known = string.match(redis.call('GET', gate) or '', '^(%a+) (%d+)')
  if not known or tonumber(known) <= tonumber(releases) then
    redis.call('SET', gate, 'closed ' .. releases .. ' ' .. ARGV[2] .. ' ' .. name, 'PXAT', ARGV[1])
    if state ~= 'closed' then redis.call('PUBLISH', ARGV[3], 'closed ' .. string.match(gate, '[^:]+$')) end
  end
end
