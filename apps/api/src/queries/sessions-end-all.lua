-- Ends every session of a user. KEYS: the user's set, the prefix of sessions, the user's watermark. ARGV: absolute expiry (ms).
local now = now_ms()
-- Past the mark of before: who logged in since then, even in this millisecond, ends later than that one.
local over = math.max(now + ARGV[1], over_until(KEYS[3], now, ARGV[1]) + 1)
redis.call('SET', KEYS[3], string.format('%.0f', over), 'PX', over - now)
remove_unless('zset', KEYS[1])
local ended = 0
for _, hash in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do ended = ended + redis.call('DEL', KEYS[2] .. hash) end
redis.call('DEL', KEYS[1])
return ended
