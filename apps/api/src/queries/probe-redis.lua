-- The write of a readiness probe: a script that writes, like most of what a task sends to Redis.
-- KEYS: the key. ARGV: its expiry (ms).
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
