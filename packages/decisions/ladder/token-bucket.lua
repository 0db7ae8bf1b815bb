-- #region script
-- Token bucket. A token is `interval` parts, and one part flows back per microsecond: whole numbers, so no fraction is lost.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local full, need = burst * interval, cost * interval
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local bucket = redis.call('HMGET', KEYS[1], 'parts', 'at')
local parts, at = tonumber(bucket[1]) or full, tonumber(bucket[2]) or now
parts = math.min(full, parts + math.max(0, now - at)) -- A clock that was set back refills nothing, and goes on from here.
local allowed = parts >= need
local wait = math.max(0, need - parts)
if allowed then parts = parts - need end
redis.call('HSET', KEYS[1], 'parts', parts, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil((full - parts) / 1000) + 1)
return { allowed and 1 or 0, wait }
-- #endregion
