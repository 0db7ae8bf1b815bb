-- Adds the counts of one task to the current minute and interval by Redis's clock. KEYS[1] is the prefix of all keys. In the
-- totals a field is a name and the number of the interval within its minute.
-- ARGV[1] is JSON: { task, totals: { name: count }, refused: { member: count }, suppressed: { member: count } }
-- ARGV[2] retention of a minute (s), ARGV[3] maximum identities per minute, ARGV[4] seconds after which a silent task stops
-- counting, ARGV[5] length of an interval (s). Returns the number of tasks that reported recently.
-- Keys of another type and values that are not counts are corrupt: the script removes them.

local time = redis.call('TIME')
local seconds = tonumber(time[1])
local minute = KEYS[1] .. ':' .. math.floor(seconds / 60)
local counted = cjson.decode(ARGV[1])

local function remove_unless(kind, key)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', key) end
end

remove_unless('hash', minute .. ':totals')
local interval = ' ' .. math.floor(seconds % 60 / ARGV[5])
for name, count in pairs(counted.totals) do
  local field = name .. interval
  local added = redis.pcall('HINCRBY', minute .. ':totals', field, count)
  if type(added) == 'table' then redis.call('HSET', minute .. ':totals', field, count) end
end
redis.call('EXPIRE', minute .. ':totals', ARGV[2])
for _, outcome in ipairs({ 'refused', 'suppressed' }) do
  local key = minute .. ':' .. outcome
  remove_unless('zset', key)
  for member, count in pairs(counted[outcome]) do redis.call('ZINCRBY', key, count, member) end
  -- Evicts the least busy, which bounds the memory for any number of identities.
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - ARGV[3])
  redis.call('EXPIRE', key, ARGV[2])
end

local tasks = KEYS[1] .. ':tasks'
remove_unless('zset', tasks)
redis.call('ZADD', tasks, seconds, counted.task)
redis.call('ZREMRANGEBYSCORE', tasks, '-inf', '(' .. seconds - ARGV[4])
redis.call('EXPIRE', tasks, ARGV[4])
return redis.call('ZCARD', tasks)
