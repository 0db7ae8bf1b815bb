-- Returns the id, role and tier of a live session, and 1 if its account is new, else 0; restarts its idle expiry. Returns nothing for
-- a session that has ended. A session that an older version began does not say when its account was made: it is not new.
-- KEYS: the session, the prefix of watermarks. ARGV: idle expiry (ms), absolute expiry (ms), how long an account is new (ms).
local now = now_ms()
remove_unless('hash', KEYS[1])
local found = redis.call('HMGET', KEYS[1], 'endsAt', 'owner', 'id', 'role', 'tier', 'bornAt')
local ends, owner = tonumber(found[1]), found[2]
local left = math.floor(math.min(tonumber(ARGV[1]), (ends or 0) - now))
-- Also what ends at no time, or later than any session even if the clock was set back, and what is nobody's.
local lives = left > 0 and ends <= now + 2 * ARGV[2] + 1 and owner
if not lives or ends <= over_until(KEYS[2] .. owner, now, ARGV[2]) then redis.call('DEL', KEYS[1]) return {} end
redis.call('PEXPIRE', KEYS[1], left)
local born = tonumber(found[6])
return { found[3], found[4], found[5], born and now - born < tonumber(ARGV[3]) and 1 or 0 }
