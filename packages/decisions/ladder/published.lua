-- #region script
local burst, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('HSETNX', KEYS[1], 'refilled_at', now)
local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens')) or burst
tokens = math.min(burst, tokens + (now - redis.call('HGET', KEYS[1], 'refilled_at')) * rate)
if tokens < 1 then return 0 end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1)
return 1
-- #endregion
