-- Sliding log: the time of every served call of the last window, in a sorted set.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = burst * interval
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local missing = redis.call('ZCARD', KEYS[1]) + cost - burst
if missing > 0 then
  local entry = redis.call('ZRANGE', KEYS[1], missing - 1, missing - 1, 'WITHSCORES')
  return { 0, entry[2] + window - now }
end
local last = tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]) or 0
local same = last == now and redis.call('ZCOUNT', KEYS[1], now, now) or 0
for n = same + 1, same + cost do
  redis.call('ZADD', KEYS[1], now, string.format('%.0f-%d', now, n)) -- Two calls of one microsecond are two members.
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 1)
return { 1, 0 }
