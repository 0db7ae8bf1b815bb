-- Sliding-window counter: two counters. The previous window counts by its overlap with the sliding window, as if its calls had
-- been evenly spaced.
local burst, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if cost > burst then return { 0, -1 } end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = burst * interval
local elapsed = now % window
local number = (now - elapsed) / window
local counter = redis.call('HMGET', KEYS[1], 'window', 'count', 'previous')
local stored, count, previous = tonumber(counter[1]), tonumber(counter[2]) or 0, tonumber(counter[3]) or 0
if stored == number - 1 then count, previous = 0, count
elseif stored ~= number then count, previous = 0, 0 end
local room = burst - cost - count
if previous * (window - elapsed) > room * window then
  -- In this window, when the overlap has shrunk far enough; otherwise in the next, in which this window is the previous one.
  if room >= 0 then return { 0, window - math.floor(room * window / previous) - elapsed } end
  return { 0, window - elapsed + window - math.floor((burst - cost) * window / count) }
end
redis.call('HSET', KEYS[1], 'window', number, 'count', count + cost, 'previous', previous)
redis.call('PEXPIRE', KEYS[1], math.ceil((2 * window - elapsed) / 1000) + 1)
return { 1, 0 }
