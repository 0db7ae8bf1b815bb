-- Ends a ban and deletes the record of earlier ones; tokens and promised slots stay. KEYS[1] is the bucket, as
-- rate-limits.lua stores it. Returns 1, or 0 if no ban was running.

local BUCKET_BYTES, EXTRA, EXTRA_BYTES = 28, '<I3I7I7I7I2I7I7', 40

local time = redis.call('TIME')
local stored = redis.pcall('GET', KEYS[1])
if type(stored) ~= 'string' or #stored ~= BUCKET_BYTES + EXTRA_BYTES then return 0 end
local highest, line_end, exempt_end, line_began, _, banned_until = struct.unpack(EXTRA, stored, BUCKET_BYTES + 1)
if banned_until <= time[1] * 1000000 + time[2] then return 0 end
local extra = struct.pack(EXTRA, highest, line_end, exempt_end, line_began, 0, 0, 0)
redis.call('SET', KEYS[1], string.sub(stored, 1, BUCKET_BYTES) .. extra, 'KEEPTTL')
return 1
