-- Forgets strikes and bans of an identity; its tokens stay as they are. KEYS[1] is the bucket, as rate-limits.lua stores it.
-- Returns 1, or 0 if there was no ban that is running.

local BUCKET_BYTES, PAST_BYTES = 28, 10
local LADDER, LADDER_BYTES = '<I2I2I7I7', 18

local time = redis.call('TIME')
local stored = redis.pcall('GET', KEYS[1])
local rest = type(stored) == 'string' and #stored - LADDER_BYTES
if rest ~= BUCKET_BYTES and rest ~= BUCKET_BYTES + PAST_BYTES then return 0 end
local _, _, banned_until = struct.unpack(LADDER, stored, rest + 1)
if banned_until <= time[1] * 1000000 + time[2] then return 0 end
redis.call('SET', KEYS[1], string.sub(stored, 1, rest), 'KEEPTTL')
return 1
