import { createHash } from 'node:crypto';
import { type User, user as userSchema } from '@minitickets/contract';
import type { Redis } from 'ioredis';

/** The user of a session: the fields that authorise each request. */
export type SessionUser = Pick<User, 'id' | 'role' | 'tier'>;
const sessionUser = userSchema.pick({ id: true, role: true, tier: true });

/** Idle expiry: a session ends when it is unused for this long. */
const IDLE_MS = 7 * 24 * 3_600_000;
/** Absolute expiry: a session ends after this long, however much it is used. */
const ABSOLUTE_MS = 30 * 24 * 3_600_000;
/** More concurrent sessions than a person has devices; log-in ends the oldest. */
const MAX_PER_USER = 20;

/*
 * A session is a hash under the SHA-256 of its sid, so that reading Redis gives nobody a usable session. It holds what
 * authorises a request (id, role, tier) and no personal data: the one operation that shows e-mail and name reads them from
 * PostgreSQL. Reading all of it from PostgreSQL would add a query to each request, even a refused one. The role here grants
 * nothing: `requireRole` reads it from PostgreSQL.
 * "Log out everywhere" uses a sorted set of the user's sessions, scored by absolute expiry and named by `sessionOwner`, which
 * the sessions carry. That set may be lost or corrupt while sessions live on. So it also stores a watermark, the latest end
 * that a session existing now can have, and every use of a session compares with it in the same script. Later log-ins get a
 * later end. All times are by Redis's clock.
 * The scripts reach session keys that they learn from the set, so on Redis Cluster sessions need a Redis of their own.
 * Keys of another type than the scripts write are corrupt: the scripts remove them.
 */
const REMOVE_UNLESS = `
local function remove_unless(kind, key)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', key) end
end`;
const NOW = `local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * The watermark: sessions that end at or before it are over. It is never later than the end of a new session, even if the
 * clock was set back.
 */
const OVER_UNTIL = `
local function over_until(key, now, absolute)
  remove_unless('string', key)
  local stored = redis.call('GET', key)
  if not stored then return 0 end
  local mark = tonumber(stored)
  if mark and mark > 0 and mark <= now + 2 * absolute then return mark end
  redis.call('DEL', key)
  return 0
end`;

const CREATE = `${NOW} ${REMOVE_UNLESS} ${OVER_UNTIL}
local session, set, session_prefix, mark = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
remove_unless('zset', set)
local idle, absolute, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local ends = math.max(now + absolute, over_until(mark, now, absolute) + 1)
redis.call('HSET', session, 'endsAt', string.format('%.0f', ends), unpack(ARGV, 5))
redis.call('PEXPIRE', session, math.min(idle, absolute))
redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
redis.call('ZADD', set, ends, ARGV[4])
local surplus = redis.call('ZCARD', set) - most
if surplus > 0 then
  for _, oldest in ipairs(redis.call('ZPOPMIN', set, surplus)) do
    if #oldest == 64 then redis.call('DEL', session_prefix .. oldest) end
  end
end
redis.call('PEXPIRE', set, absolute)
return 1`;

const TOUCH = `${NOW} ${REMOVE_UNLESS} ${OVER_UNTIL}
remove_unless('hash', KEYS[1])
local found = redis.call('HMGET', KEYS[1], 'endsAt', 'owner', 'id', 'role', 'tier')
local ends, owner = tonumber(found[1]), found[2]
local left = math.floor(math.min(tonumber(ARGV[1]), (ends or 0) - now))
-- Also what ends at no time, or later than any session even if the clock was set back, and what is nobody's.
local lives = left > 0 and ends <= now + 2 * ARGV[2] + 1 and owner
if not lives or ends <= over_until(KEYS[2] .. owner, now, ARGV[2]) then redis.call('DEL', KEYS[1]) return {} end
redis.call('PEXPIRE', KEYS[1], left)
return { found[3], found[4], found[5] }`;

const END = `${REMOVE_UNLESS}
remove_unless('hash', KEYS[1])
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner then
  remove_unless('zset', KEYS[2] .. owner)
  redis.call('ZREM', KEYS[2] .. owner, ARGV[1])
end
return redis.call('DEL', KEYS[1])`;

const END_ALL = `${NOW} ${REMOVE_UNLESS} ${OVER_UNTIL}
-- Past the mark of before: who logged in since then, even in this millisecond, ends later than that one.
local over = math.max(now + ARGV[1], over_until(KEYS[3], now, ARGV[1]) + 1)
redis.call('SET', KEYS[3], string.format('%.0f', over), 'PX', over - now)
remove_unless('zset', KEYS[1])
local ended = 0
for _, hash in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do ended = ended + redis.call('DEL', KEYS[2] .. hash) end
redis.call('DEL', KEYS[1])
return ended`;

const SET_TIER = `${REMOVE_UNLESS}
remove_unless('zset', KEYS[1])
for _, hash in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  remove_unless('hash', KEYS[2] .. hash)
  if redis.call('EXISTS', KEYS[2] .. hash) == 1 then redis.call('HSET', KEYS[2] .. hash, 'tier', ARGV[1]) end
end
return 1`;

const SESSION = 'session:';
const SESSIONS_OF = 'sessions-of:';
const OVER = 'sessions-over:';
const hashOf = (sid: string) => createHash('sha256').update(sid).digest('hex');

/** Creates a session under this sid (256 random bits, chosen by the caller). `owner` is the user's `sessionOwner`. */
export async function createSession(redis: Redis, sid: string, user: SessionUser, owner: string) {
  const hash = hashOf(sid);
  const fields = ['id', user.id, 'role', user.role, 'tier', user.tier, 'owner', owner];
  const keys = [SESSION + hash, SESSIONS_OF + owner, SESSION, OVER + owner];
  await redis.eval(CREATE, keys.length, ...keys, IDLE_MS, ABSOLUTE_MS, MAX_PER_USER, hash, ...fields);
}

// #region live
/** Returns the user of a session and restarts its idle expiry; null for a session that is unknown or has ended. */
export async function touchSession(redis: Redis, sid: string): Promise<SessionUser | null> {
  const key = SESSION + hashOf(sid);
  const fields = (await redis.eval(TOUCH, 2, key, OVER, IDLE_MS, ABSOLUTE_MS)) as (string | null)[];
  if (fields.length === 0) return null;
  const [id, role, tier] = fields;
  const user = sessionUser.safeParse({ id, role, tier });
  if (user.success) return user.data;
  await redis.del(key);
  return null;
}

/** Ends one session, for every task at once. */
export async function endSession(redis: Redis, sid: string) {
  const hash = hashOf(sid);
  await redis.eval(END, 2, SESSION + hash, SESSIONS_OF, hash);
}

/** Ends every session of a user, identified by `sessionOwner`, including sessions that the set has lost. */
export async function endSessionsOf(redis: Redis, owner: string) {
  await redis.eval(END_ALL, 3, SESSIONS_OF + owner, SESSION, OVER + owner, ABSOLUTE_MS);
}
// #endregion

/** Copies a user's new tier to their live sessions, so that it applies from their next request. */
export async function setTierOfSessions(redis: Redis, owner: string, tier: User['tier']) {
  await redis.eval(SET_TIER, 2, SESSIONS_OF + owner, SESSION, tier);
}
