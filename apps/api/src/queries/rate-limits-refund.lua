-- Gives back what a receipt stands for. It works once, and never mints a token: what the refill has replaced since the charge
-- is not given back a second time. For that the oldest charge counts as replaced first, which can only give back less.
--
-- KEYS[1] the bucket, KEYS[2] the receipt; both as rate-limits.lua stores them. Returns 1, or 0 without a receipt.

local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28

local receipt = redis.call('GET', KEYS[2])
if not receipt then return 0 end
redis.call('DEL', KEYS[2])
local need, missing, at, capacity, refill, interval_ms = struct.unpack('<I7I7I7I3I3I4', receipt)

-- No bucket: it is full.
local stored = redis.pcall('GET', KEYS[1])
if type(stored) ~= 'string' or #stored < BUCKET_BYTES then return 1 end
local parts, counted_at, now_capacity, now_refill, now_interval_ms, revision = struct.unpack(BUCKET, stored)
-- Under another limit the parts are of another size. The change has already given what it gives.
if capacity ~= now_capacity or refill ~= now_refill or interval_ms ~= now_interval_ms then return 1 end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local back = math.min(need, missing - math.max(0, now - at, counted_at - at) * refill)
if back > 0 then
  parts = math.min(parts + back, capacity * interval_ms * 1000)
  local value = struct.pack(BUCKET, parts, counted_at, capacity, refill, interval_ms, revision)
  -- The expiry stays: the bucket is only full earlier than it says.
  redis.call('SET', KEYS[1], value .. string.sub(stored, BUCKET_BYTES + 1), 'KEEPTTL')
end
return 1
