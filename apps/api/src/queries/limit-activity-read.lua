-- Sums up the last minutes by Redis's clock. KEYS[1] is the prefix of all keys.
-- ARGV[1] number of minutes including the current one; ARGV[2] maximum number of identities.
-- Returns three flat lists of names and counts (totals, most refused, most suppressed, busiest first), and the number of
-- tasks that report. Keys of another type than limit-activity-add.lua writes and values that are not counts are skipped.

local time = redis.call('TIME')
local this_minute = math.floor(time[1] / 60)

local function is_a(kind, key)
  return redis.call('TYPE', key).ok == kind
end

local sums, refused, suppressed = {}, {}, {}
for minute = this_minute - ARGV[1] + 1, this_minute do
  local name = KEYS[1] .. ':' .. minute
  local totals = is_a('hash', name .. ':totals') and redis.call('HGETALL', name .. ':totals') or {}
  for i = 1, #totals, 2 do
    -- At most 12 digits: no fraction, no infinity.
    local of = string.match(totals[i], '^(%S+ %S+) %d+$')
    if of and #totals[i + 1] <= 12 and string.find(totals[i + 1], '^%d+$') then sums[of] = (sums[of] or 0) + totals[i + 1] end
  end
  if is_a('zset', name .. ':refused') then refused[#refused + 1] = name .. ':refused' end
  if is_a('zset', name .. ':suppressed') then suppressed[#suppressed + 1] = name .. ':suppressed' end
end

local function busiest(keys)
  if #keys == 0 then return {} end
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
local tasks = is_a('zset', KEYS[1] .. ':tasks') and redis.call('ZCARD', KEYS[1] .. ':tasks') or 0
return { totals, busiest(refused), busiest(suppressed), tasks }
