-- #region script
-- GCRA, virtual scheduling. One instant is stored: the theoretical arrival time (TAT), at which the bucket would be full again.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local full = burst * interval
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tat = math.max(now, tonumber(redis.call('GET', KEYS[1])) or now)
local stepped_back = tat > now + full
if stepped_back then tat = now + full end
local next_tat = tat + cost * interval
local wait = math.max(0, next_tat - full - now)
if wait == 0 then tat = next_tat end
if wait == 0 or stepped_back then
  redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000) + 1)
end
return { wait == 0 and 1 or 0, wait }
-- #endregion
