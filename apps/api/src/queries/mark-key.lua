-- Records the progress of an idempotency key's request.
-- KEYS: the key. ARGV: retention (ms), then fields and values.
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
