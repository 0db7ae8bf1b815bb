-- Adds what one task has counted to the minute that Redis's clock shows, and there to the running interval: of the totals a
-- field is the name and the number of the interval in its minute. KEYS[1] is the name that all keys begin with.
-- ARGV[1] is JSON: { task, totals: { name: count }, refused: { member: count }, suppressed: { member: count } }
-- ARGV[2] for how many seconds a minute is kept, ARGV[3] how many identities of a minute, ARGV[4] for how many seconds a
-- silent task still counts, ARGV[5] how many seconds an interval has. Returns how many tasks have reported of late.
-- What is of another type than is written here, or no count, is junk: it is removed.

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
  -- The least busy go first: memory is bounded, whoever comes.
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - ARGV[3])
  redis.call('EXPIRE', key, ARGV[2])
end

local tasks = KEYS[1] .. ':tasks'
remove_unless('zset', tasks)
redis.call('ZADD', tasks, seconds, counted.task)
redis.call('ZREMRANGEBYSCORE', tasks, '-inf', '(' .. seconds - ARGV[4])
redis.call('EXPIRE', tasks, ARGV[4])
return redis.call('ZCARD', tasks)
