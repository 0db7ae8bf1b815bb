-- Sums up the last minutes by Redis's clock. KEYS[1] is the name that all keys begin with.
-- ARGV[1] how many minutes, the running one included; ARGV[2] how many of the busiest identities.
-- Returns three lists of names and counts in turn: the totals, the most refused and the most suppressed, busiest first; and
-- how many tasks report.

local time = redis.call('TIME')
local this_minute = math.floor(time[1] / 60)

local sums, refused, suppressed = {}, {}, {}
for minute = this_minute - ARGV[1] + 1, this_minute do
  local name = KEYS[1] .. ':' .. minute
  local totals = redis.call('HGETALL', name .. ':totals')
  for i = 1, #totals, 2 do sums[totals[i]] = (sums[totals[i]] or 0) + totals[i + 1] end
  refused[#refused + 1] = name .. ':refused'
  suppressed[#suppressed + 1] = name .. ':suppressed'
end

local function busiest(keys)
  local words = { unpack(keys) }
  words[#words + 1] = 'WITHSCORES'
  local ascending = redis.call('ZUNION', #keys, unpack(words))
  local list = {}
  for i = #ascending - 1, math.max(1, #ascending + 1 - 2 * ARGV[2]), -2 do
    list[#list + 1] = ascending[i]
    list[#list + 1] = ascending[i + 1]
  end
  return list
end

local totals = {}
for name, count in pairs(sums) do
  totals[#totals + 1] = name
  totals[#totals + 1] = count
end
return { totals, busiest(refused), busiest(suppressed), redis.call('ZCARD', KEYS[1] .. ':tasks') }
