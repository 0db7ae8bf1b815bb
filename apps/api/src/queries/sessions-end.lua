-- Ends one session. KEYS: the session, the prefix of users' sets. ARGV: hash of the sid.
remove_unless('hash', KEYS[1])
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner then
  remove_unless('zset', KEYS[2] .. owner)
  redis.call('ZREM', KEYS[2] .. owner, ARGV[1])
end
return redis.call('DEL', KEYS[1])
