-- Leaky bucket as a queue: calls leave one emission interval apart. A call that finds up to `burst` emission intervals of work
-- ahead of it is accepted and has to be delayed; otherwise it is refused.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = burst * interval
local free_at = math.max(now, tonumber(redis.call('GET', KEYS[1])) or now)
local stepped_back = free_at > now + full
if stepped_back then free_at = now + full end
local wait = math.max(0, free_at + cost * interval - full - now)
local delay = free_at - now
if wait == 0 then free_at = free_at + cost * interval end
if wait == 0 or stepped_back then
  redis.call('SET', KEYS[1], string.format('%.0f', free_at), 'PX', math.ceil((free_at - now) / 1000) + 1)
end
if wait > 0 then return { 0, wait } end
return { 1, delay }
