-- Reads a bucket without deciding anything. KEYS[1] is the bucket, as rate-limits.lua stores it.
-- Returns Redis's time in microseconds, the key's remaining lifetime in ms (-2: no key), and if the bucket can be read: parts, the
-- instant they were counted, burst, rate, period in ms, revision, end of the line, end of its exempt part, bans, end of the
-- ban, when bans are forgotten.

local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28
local EXTRA, EXTRA_BYTES = '<I3I7I7I7I2I7I7', 40

local time = redis.call('TIME')
local answer = { time[1] * 1000000 + time[2], redis.call('PTTL', KEYS[1]) }
local stored = redis.pcall('GET', KEYS[1])
local size = type(stored) == 'string' and #stored
if size == BUCKET_BYTES or size == BUCKET_BYTES + EXTRA_BYTES then
  local parts, at, burst, rate, period_ms, revision = struct.unpack(BUCKET, stored)
  local full = burst * period_ms * 1000
  if full > 0 and full <= 2 ^ 53 and rate > 0 and parts <= full and at <= 2 ^ 53 then
    answer[3], answer[4], answer[5], answer[6], answer[7], answer[8] = parts, at, burst, rate, period_ms, revision
    answer[9], answer[10], answer[11], answer[12], answer[13] = 0, 0, 0, 0, 0
    if size > BUCKET_BYTES then
      local _, line_end, exempt_end, _, bans, banned_until, forgotten_at = struct.unpack(EXTRA, stored, BUCKET_BYTES + 1)
      answer[9], answer[10] = math.min(line_end, 2 ^ 53), math.min(exempt_end, 2 ^ 53)
      answer[11], answer[12], answer[13] = bans, math.min(banned_until, 2 ^ 53), math.min(forgotten_at, 2 ^ 53)
    end
  end
end
return answer
