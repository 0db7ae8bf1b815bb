-- Reads a bucket without deciding anything. KEYS[1] is the bucket, as rate-limits.lua stores it.
-- Returns Redis's time in microseconds, how long the key will live in ms (-2: there is none), and if it can be read: parts,
-- when they were counted, capacity, refill tokens, refill interval in ms, revision, strikes, bans, banned until, forgotten at.

local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28
local LADDER, LADDER_BYTES = '<I2I2I7I7', 18

local time = redis.call('TIME')
local answer = { time[1] * 1000000 + time[2], redis.call('PTTL', KEYS[1]) }
local stored = redis.pcall('GET', KEYS[1])
local size = type(stored) == 'string' and #stored
if size == BUCKET_BYTES or size == BUCKET_BYTES + LADDER_BYTES then
  answer[3], answer[4], answer[5], answer[6], answer[7], answer[8] = struct.unpack(BUCKET, stored)
  answer[9], answer[10], answer[11], answer[12] = 0, 0, 0, 0
  if size > BUCKET_BYTES then
    answer[9], answer[10], answer[11], answer[12] = struct.unpack(LADDER, stored, BUCKET_BYTES + 1)
  end
end
return answer
