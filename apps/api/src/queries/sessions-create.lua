-- Creates a session and ends the oldest sessions of its user beyond the maximum.
-- KEYS: the session, the user's set, the prefix of sessions, the user's watermark.
-- ARGV: idle expiry (ms), absolute expiry (ms), maximum of sessions, hash of the sid, then fields and values.
local now = now_ms()
local session, set, session_prefix, mark = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
remove_unless('zset', set)
local idle, absolute, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local ends = math.max(now + absolute, over_until(mark, now, absolute) + 1)
redis.call('HSET', session, 'endsAt', string.format('%.0f', ends), unpack(ARGV, 5))
redis.call('PEXPIRE', session, math.min(idle, absolute))
redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
redis.call('ZADD', set, ends, ARGV[4])
local surplus = redis.call('ZCARD', set) - most
if surplus > 0 then
  for _, oldest in ipairs(redis.call('ZPOPMIN', set, surplus)) do
    if #oldest == 64 then redis.call('DEL', session_prefix .. oldest) end
  end
end
redis.call('PEXPIRE', set, absolute)
return 1
