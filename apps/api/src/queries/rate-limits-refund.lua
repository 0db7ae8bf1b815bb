-- Refunds the charge of a receipt, once. It never mints a token: what the refill has replaced since the charge is not refunded.
-- Of several charges the oldest counts as replaced first, which can only refund less.
--
-- KEYS[1] the bucket, KEYS[2] the receipt; both as rate-limits.lua stores them. Returns 1, or 0 without a receipt.

local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28

local receipt = redis.call('GET', KEYS[2])
if not receipt then return 0 end
redis.call('DEL', KEYS[2])
local need, missing, at, burst, rate, period_ms = struct.unpack('<I7I7I7I3I3I4', receipt)

-- Without a key the bucket is full.
local stored = redis.pcall('GET', KEYS[1])
if type(stored) ~= 'string' or #stored < BUCKET_BYTES then return 1 end
local parts, counted_at, now_burst, now_rate, now_period_ms, revision = struct.unpack(BUCKET, stored)
-- Under another limit parts have another size, and the change has already granted what it grants.
if burst ~= now_burst or rate ~= now_rate or period_ms ~= now_period_ms then return 1 end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local back = math.min(need, missing - math.max(0, now - at, counted_at - at) * rate)
if back > 0 then
  parts = math.min(parts + back, burst * period_ms * 1000)
  local value = struct.pack(BUCKET, parts, counted_at, burst, rate, period_ms, revision)
  -- The expiry stays, because the bucket is full before it.
  redis.call('SET', KEYS[1], value .. string.sub(stored, BUCKET_BYTES + 1), 'KEEPTTL')
end
return 1
