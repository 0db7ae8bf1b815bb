-- Returns the recent reports of all tasks. KEYS[1] as task-reports-add.lua writes it; ARGV[1] milliseconds after which a
-- silent task is left out. Returns triples of a task's name, the age of its report in ms by Redis's clock, and the report.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return {} end
local all, known = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local at, report = string.match(all[i + 1], '^(%d+) (.*)$')
  local ago = at and math.max(0, now - at)
  if ago and ago <= tonumber(ARGV[1]) then
    known[#known + 1] = all[i]
    known[#known + 1] = ago
    known[#known + 1] = report
  end
end
return known
