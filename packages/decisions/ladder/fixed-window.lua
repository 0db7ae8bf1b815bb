-- Fixed window: a counter that restarts at each boundary. The window is the time in which `burst` tokens would flow back.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = burst * interval
local rest = window - now % window
local counter = redis.call('HMGET', KEYS[1], 'window', 'count')
local number = (now + rest) / window
local count = tonumber(counter[1]) == number and tonumber(counter[2]) or 0
if count + cost > burst then return { 0, rest } end
redis.call('HSET', KEYS[1], 'window', number, 'count', count + cost)
redis.call('PEXPIRE', KEYS[1], math.ceil(rest / 1000) + 1)
return { 1, 0 }
