-- Returns when each gate opens, by Redis's clock in ms; 0 if it is open. KEYS: gates of any events. They need a single Redis
-- node: a cluster distributes them by event.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {}
for i, gate in ipairs(KEYS) do
  local value = redis.pcall('GET', gate)
  local left = type(value) == 'string' and string.find(value, '^closed ') and redis.call('PTTL', gate) or 0
  answer[i] = left > 0 and now + left or 0
end
return answer
