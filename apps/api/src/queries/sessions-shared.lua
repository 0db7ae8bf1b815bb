-- Functions that stand in front of every session script.

-- Returns Redis's clock, in ms.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A key of another type than the scripts write is corrupt: it is removed.
local function remove_unless(kind, key)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', key) end
end

-- The watermark: sessions that end at or before it are over. It is never later than the end of a new session, even if the
-- clock was set back.
local function over_until(key, now, absolute)
  remove_unless('string', key)
  local stored = redis.call('GET', key)
  if not stored then return 0 end
  local mark = tonumber(stored)
  if mark and mark > 0 and mark <= now + 2 * absolute then return mark end
  redis.call('DEL', key)
  return 0
end
