-- Returns the id, role and tier of a live session and restarts its idle expiry; nothing for one that has ended.
-- KEYS: the session, the prefix of watermarks. ARGV: idle expiry (ms), absolute expiry (ms).
local now = now_ms()
remove_unless('hash', KEYS[1])
local found = redis.call('HMGET', KEYS[1], 'endsAt', 'owner', 'id', 'role', 'tier')
local ends, owner = tonumber(found[1]), found[2]
local left = math.floor(math.min(tonumber(ARGV[1]), (ends or 0) - now))
-- Also what ends at no time, or later than any session even if the clock was set back, and what is nobody's.
local lives = left > 0 and ends <= now + 2 * ARGV[2] + 1 and owner
if not lives or ends <= over_until(KEYS[2] .. owner, now, ARGV[2]) then redis.call('DEL', KEYS[1]) return {} end
redis.call('PEXPIRE', KEYS[1], left)
return { found[3], found[4], found[5] }
