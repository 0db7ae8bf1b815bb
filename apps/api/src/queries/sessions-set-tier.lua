-- Copies a tier to a user's live sessions. KEYS: the user's set, the prefix of sessions. ARGV: the tier.
remove_unless('zset', KEYS[1])
for _, hash in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  remove_unless('hash', KEYS[2] .. hash)
  if redis.call('EXISTS', KEYS[2] .. hash) == 1 then redis.call('HSET', KEYS[2] .. hash, 'tier', ARGV[1]) end
end
return 1
