import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import type { KeyOfUser, RecordedOutcome } from '../rules/held-answers.ts';
import { HELD_BOOKING, recordedOutcome } from './holds.ts';

/*
 * The response to a request with an `Idempotency-Key` is an idempotency record in PostgreSQL, written in the transaction that
 * decided it: no key is decided twice, even if Redis loses its data. Redis stores only how far the request of a key has come,
 * so that every task sees a running one and a new key is recognised without a query to PostgreSQL.
 */

const DAY_MS = 24 * 3_600_000;
/** Longer than any request may take. An older claim was left behind by a task that crashed. */
const MAX_REQUEST_MS = 15_000;

/**
 * The state of a key when a request asks for it:
 * - `claimed`: the key is new and belongs to this request; `abandoned`: it belongs to this request too, but its former owner
 *   may have booked
 * - `running`, `reused`: another request has it, with the same or a different body
 * - `asked`: a request reached PostgreSQL, which has the record if there is one
 * - `refused`: the inventory gate refused the request, with this body
 */
export type Claim =
  | { state: 'claimed' | 'abandoned' | 'running' | 'reused' | 'asked' }
  | { state: 'refused'; refusal: string };

const claimScript = loadScript('claim-key.lua');
const markScript = loadScript('mark-key.lua');
// Hashed, so that reading Redis reveals neither the buyers nor what clients put into their keys.
const redisKey = ({ userId, key }: KeyOfUser) =>
  `idempotency:${createHash('sha256').update(`${userId} ${key}`).digest('base64url')}`;
const MEMORY = 'idempotency-memory';

/** Claims a new key for this request, visibly for all tasks, or returns the state of a known one. */
export async function claimKey(redis: RedisConnection, key: KeyOfUser, fingerprint: string): Promise<Claim> {
  const answer = await runScript(redis, claimScript, [redisKey(key)], [fingerprint, MAX_REQUEST_MS, DAY_MS]);
  const [state, refusal = ''] = answer as [Claim['state'], string?];
  return state === 'refused' ? { state, refusal } : { state };
}

/** Marks a key whose request reached PostgreSQL and has ended, whatever the outcome. */
export async function markKeyAsked(redis: RedisConnection, key: KeyOfUser) {
  await runScript(redis, markScript, [redisKey(key)], [DAY_MS, 'state', 'asked']);
}

/** Records a refusal of the inventory gate. If the write is lost, a retry is decided again, which is safe: nothing was booked. */
export async function markKeyRefused(redis: RedisConnection, key: KeyOfUser, refusal: string) {
  await runScript(redis, markScript, [redisKey(key)], [DAY_MS, 'state', 'refused', 'refusal', refusal]);
}

/**
 * Returns the instant (ms) since which Redis has lost no key. If Redis has none stored, it starts now, and older keys have to
 * be looked up in PostgreSQL. Pass `emptyRecords` if PostgreSQL has no records at all: then there are no older keys.
 */
export async function keysRememberedSince(redis: RedisConnection, { emptyRecords = false } = {}): Promise<number> {
  const since = emptyRecords ? 0 : Date.now();
  return Number((await redis.set(MEMORY, since, 'NX', 'GET')) ?? since);
}

/** Returns whether a key that Redis does not know may still have a record in PostgreSQL. */
export function mayBeForgotten(rememberedSince: number, now = Date.now()) {
  return now - rememberedSince < DAY_MS;
}

/** Returns the record of one key. */
export async function recordOfKey(db: Connection, { userId, key }: KeyOfUser): Promise<RecordedOutcome | undefined> {
  const { rows } = await db.execute(sql`
    select user_id as "userId", key, fingerprint, refusal,
      (${sql.raw(HELD_BOOKING)} from bookings where bookings.id = booking_id) as booking
    from idempotency_records where user_id = ${userId} and key = ${key}`);
  return rows[0] && recordedOutcome.parse(rows[0]);
}

/** Returns whether any record exists. */
export async function hasRecords(db: Connection): Promise<boolean> {
  const { rows } = await db.execute(sql`select 1 from idempotency_records limit 1`);
  return rows.length > 0;
}

/** Deletes records older than a day. @returns how many */
export async function deleteOldRecords(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from idempotency_records where ctid in (
      select ctid from idempotency_records where created_at < statement_timestamp() - interval '24 hours'
      limit ${limit} for update skip locked)`);
  return rowCount ?? 0;
}
