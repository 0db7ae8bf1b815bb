-- Stores a task's report. KEYS[1] is the hash of all tasks; a value is the time in ms by Redis's clock, a space, and the
-- report.
-- ARGV[1] the task, ARGV[2] its report, ARGV[3] milliseconds after which a silent task is removed, ARGV[4] maximum number of
-- tasks.
-- A key of another type and values that are not reports are corrupt: the script removes them.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('TYPE', KEYS[1]).ok
if found ~= 'hash' and found ~= 'none' then redis.call('DEL', KEYS[1]) end

redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local all, known = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local at = tonumber(string.match(all[i + 1], '^(%d+) '))
  -- Also removes entries written before the clock was set back: a live task reports again within a second.
  if not at or math.abs(now - at) > tonumber(ARGV[3]) then
    redis.call('HDEL', KEYS[1], all[i])
  else
    known[#known + 1] = { at, all[i] }
  end
end
-- Bounds the memory: evicts the tasks that have been silent the longest.
table.sort(known, function(one, other) return one[1] < other[1] end)
for i = 1, #known - ARGV[4] do redis.call('HDEL', KEYS[1], known[i][2]) end
