-- Reads a bucket without deciding anything. KEYS[1] is the bucket, as rate-limits.lua stores it.
-- Returns Redis's time in microseconds, how long the key will live in ms (-2: there is none), and if it can be read: parts,
-- when they were counted, capacity, refill tokens, refill interval in ms, revision, strikes, bans, banned until, forgotten at.

local BUCKET, BUCKET_BYTES, PAST_BYTES = '<I7I7I3I3I4I4', 28, 10
local LADDER, LADDER_BYTES = '<I2I2I7I7', 18

local time = redis.call('TIME')
local answer = { time[1] * 1000000 + time[2], redis.call('PTTL', KEYS[1]) }
local stored = redis.pcall('GET', KEYS[1])
local size = type(stored) == 'string' and #stored
local has_past = size == BUCKET_BYTES + PAST_BYTES or size == BUCKET_BYTES + PAST_BYTES + LADDER_BYTES
if size == BUCKET_BYTES or size == BUCKET_BYTES + LADDER_BYTES or has_past then
  local parts, at, capacity, refill, interval_ms, revision = struct.unpack(BUCKET, stored)
  local full = capacity * interval_ms * 1000
  if full > 0 and full <= 2 ^ 53 and refill > 0 and parts <= full and at <= 2 ^ 53 then
    answer[3], answer[4], answer[5], answer[6], answer[7], answer[8] = parts, at, capacity, refill, interval_ms, revision
    answer[9], answer[10], answer[11], answer[12] = 0, 0, 0, 0
    if size >= BUCKET_BYTES + LADDER_BYTES then
      local strikes, bans, banned_until, forgotten_at = struct.unpack(LADDER, stored, size - LADDER_BYTES + 1)
      answer[9], answer[10] = strikes, bans
      answer[11], answer[12] = math.min(banned_until, 2 ^ 53), math.min(forgotten_at, 2 ^ 53)
    end
  end
end
return answer
