-- Claims an idempotency key for one request. Returns 'claimed', or the state of a key that is already known.
-- KEYS: the key. ARGV: fingerprint of the request, longest duration of a request (ms), retention of keys (ms).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'fingerprint', 'state', 'since', 'refusal')
if known[1] and known[1] ~= ARGV[1] then return { 'reused' } end
local running = known[2] == 'running'
if running and now - tonumber(known[3]) < tonumber(ARGV[2]) then return { 'running' } end
if known[2] and not running then return { known[2], known[4] or '' } end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'state', 'running', 'since', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { running and 'abandoned' or 'claimed' }
