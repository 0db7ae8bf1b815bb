-- Writes the key that readiness probes write: a script with a write, as most of what tasks ask of Redis.
-- KEYS: the key. ARGV: how long it is kept (ms).
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
