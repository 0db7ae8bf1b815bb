import { createHash } from 'node:crypto';
import { type User, user as userSchema } from '@minitickets/contract';
import type { Redis } from 'ioredis';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import { NEW_ACCOUNT_MS } from '../rules/limits.ts';
import type { Account } from './users.ts';

/** The user of a session: the fields that authorise and limit each request. `isNew`: the account is younger than a day. */
export type SessionUser = Pick<User, 'id' | 'role' | 'tier'> & { isNew: boolean };
const sessionUser = userSchema.pick({ id: true, role: true, tier: true });

/** Idle expiry: a session ends when it is unused for this long. */
const IDLE_MS = 7 * 24 * 3_600_000;
/** Absolute expiry: a session ends after this long, however much it is used. */
const ABSOLUTE_MS = 30 * 24 * 3_600_000;
/** More concurrent sessions than a person has devices; log-in ends the oldest. */
const MAX_PER_USER = 20;

/*
 * A session is a hash under the SHA-256 of its sid, so that reading Redis gives nobody a usable session. It holds what
 * authorises and limits a request (id, role, tier, when the account was made) and no personal data: the one operation that shows e-mail and name reads them from
 * PostgreSQL. Reading all of it from PostgreSQL would add a query to each request, even a refused one. The role here grants
 * nothing: `requireRole` reads it from PostgreSQL.
 * "Log out everywhere" uses a sorted set of the user's sessions, scored by absolute expiry and named by `sessionOwner`, which
 * the sessions carry. That set may be lost or corrupt while sessions live on. So it also stores a watermark, the latest end
 * that a session existing now can have, and every use of a session compares with it in the same script. Later log-ins get a
 * later end. All times are by Redis's clock.
 * The scripts reach session keys that they learn from the set, so on Redis Cluster sessions need a Redis of their own.
 * Keys of another type than the scripts write are corrupt: the scripts remove them.
 */
const createScript = loadScript('sessions-shared.lua', 'sessions-create.lua');
const touchScript = loadScript('sessions-shared.lua', 'sessions-touch.lua');
const endScript = loadScript('sessions-shared.lua', 'sessions-end.lua');
const endAllScript = loadScript('sessions-shared.lua', 'sessions-end-all.lua');
const setTierScript = loadScript('sessions-shared.lua', 'sessions-set-tier.lua');

const SESSION = 'session:';
const SESSIONS_OF = 'sessions-of:';
const OVER = 'sessions-over:';
const hashOf = (sid: string) => createHash('sha256').update(sid).digest('hex');

/** Creates a session under this sid (256 random bits, chosen by the caller). `owner` is the user's `sessionOwner`. */
export async function createSession(
  redis: Redis,
  sid: string,
  user: Pick<Account, 'id' | 'role' | 'tier' | 'createdAt'>,
  owner: string,
) {
  const hash = hashOf(sid);
  const { id, role, tier, createdAt } = user;
  const fields = ['id', id, 'role', role, 'tier', tier, 'bornAt', createdAt.getTime(), 'owner', owner];
  const keys = [SESSION + hash, SESSIONS_OF + owner, SESSION, OVER + owner];
  await runScript(redis, createScript, keys, [IDLE_MS, ABSOLUTE_MS, MAX_PER_USER, hash, ...fields]);
}

// #region live
/** Returns the user of a session and restarts its idle expiry; null for a session that is unknown or has ended. */
export async function touchSession(redis: Redis, sid: string): Promise<SessionUser | null> {
  const key = SESSION + hashOf(sid);
  const fields = await runScript(redis, touchScript, [key, OVER], [IDLE_MS, ABSOLUTE_MS, NEW_ACCOUNT_MS]);
  const [id, role, tier, isNew] = fields as (string | number | null)[];
  if (isNew === undefined) return null;
  const user = sessionUser.safeParse({ id, role, tier });
  if (user.success) return { ...user.data, isNew: isNew === 1 };
  await redis.del(key);
  return null;
}

/** Ends one session, for every task at once. */
export async function endSession(redis: Redis, sid: string) {
  const hash = hashOf(sid);
  await runScript(redis, endScript, [SESSION + hash, SESSIONS_OF], [hash]);
}

/** Ends every session of a user, identified by `sessionOwner`, including sessions that the set has lost. */
export async function endSessionsOf(redis: Redis, owner: string) {
  await runScript(redis, endAllScript, [SESSIONS_OF + owner, SESSION, OVER + owner], [ABSOLUTE_MS]);
}
// #endregion

/** Copies a user's new tier to their live sessions, so that it applies from their next request. */
export async function setTierOfSessions(redis: Redis, owner: string, tier: User['tier']) {
  await runScript(redis, setTierScript, [SESSIONS_OF + owner, SESSION], [tier]);
}
