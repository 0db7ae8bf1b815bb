-- The totals of the last minutes, interval by interval. KEYS[1] is the name that all keys begin with, as limit-activity-add.lua
-- writes them. ARGV[1] how many minutes, ARGV[2] how many seconds an interval has, ARGV[3] for how many seconds after its end
-- tasks may still report of an interval. Returns the second in which the last interval ends, and then in turn a name, the
-- number of an interval (0: the oldest), and a count. What is of another type, or no count, is junk and left out.

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
