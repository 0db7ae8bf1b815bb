-- Notes how far the request of an idempotency key has come.
-- KEYS: the key. ARGV: how long it is remembered (ms), then fields and values.
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
