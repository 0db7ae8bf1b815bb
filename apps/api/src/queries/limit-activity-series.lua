-- Returns the totals of the last minutes by interval. KEYS[1] is the prefix of the keys that limit-activity-add.lua writes.
-- ARGV[1] number of minutes, ARGV[2] length of an interval (s), ARGV[3] seconds after its end in which tasks may still report
-- an interval. Returns the second at which the last interval ends, followed by triples of name, interval number (0 is the
-- oldest) and count. Keys of another type and values that are not counts are skipped.

local time = redis.call('TIME')
local length = tonumber(ARGV[2])
local until_second = math.floor((time[1] - ARGV[3]) / length) * length
local first_second = until_second - ARGV[1] * 60
local answer = { until_second }
for minute = math.floor(first_second / 60), math.floor((until_second - 1) / 60) do
  local key = KEYS[1] .. ':' .. minute .. ':totals'
  local totals = redis.call('TYPE', key).ok == 'hash' and redis.call('HGETALL', key) or {}
  for i = 1, #totals, 2 do
    local name, interval = string.match(totals[i], '^(%S+ %S+) (%d+)$')
    local number = interval and (minute * 60 + interval * length - first_second) / length
    if number and number >= 0 and number < ARGV[1] * 60 / length and #totals[i + 1] <= 12 and string.find(totals[i + 1], '^%d+$') then
      answer[#answer + 1] = name
      answer[#answer + 1] = number
      answer[#answer + 1] = tonumber(totals[i + 1])
    end
  end
end
return answer
