import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import type { HeldBooking } from '../rules/held-answers.ts';
import { HELD_BOOKING, toRecordedOutcome } from './holds.ts';

/*
 * What was answered to a request with an `Idempotency-Key` is a record in PostgreSQL, written in the transaction that decided
 * it: no key is ever decided twice, whatever becomes of Redis. Redis remembers of each key only how far its request has come,
 * so that all tasks know of a running one, and so that a new key is known to be new without asking PostgreSQL.
 */

const DAY_MS = 24 * 3_600_000;
/** Longer than any request may take. A claim that is older was left behind by a task that died. */
const LONGEST_REQUEST_MS = 15_000;

export type KeyOfUser = { userId: string; key: string };

/** What is remembered under a key: the booking that was held, or the refusal as it was sent. */
export type RecordedOutcome = KeyOfUser & {
  fingerprint: string;
  booking: HeldBooking | null;
  refusal: string | null;
};

/**
 * - `claimed`: the key is new, and now ours; `abandoned`: ours too, but whoever had it before may have booked
 * - `running` and `reused`: another request has it, the same one or a different one
 * - `asked`: PostgreSQL was asked and knows the outcome, if there was one
 * - `refused`: refused at the gate, with this body
 */
export type Claim =
  | { state: 'claimed' | 'abandoned' | 'running' | 'reused' | 'asked' }
  | { state: 'refused'; refusal: string };

const claimScript = loadScript('claim-key.lua');
const markScript = loadScript('mark-key.lua');
// Hashed, so that a reader of Redis learns neither who books nor what clients put into their keys.
const redisKey = ({ userId, key }: KeyOfUser) =>
  `idempotency:${createHash('sha256').update(`${userId} ${key}`).digest('base64url')}`;
const MEMORY = 'idempotency-memory';

/** Says to all tasks that this request is running, unless the key is known. */
export async function claimKey(redis: RedisConnection, key: KeyOfUser, fingerprint: string): Promise<Claim> {
  const answer = await runScript(redis, claimScript, [redisKey(key)], [fingerprint, LONGEST_REQUEST_MS, DAY_MS]);
  const [state, refusal = ''] = answer as [Claim['state'], string?];
  return state === 'refused' ? { state, refusal } : { state };
}

/** The request has ended, however it did, and PostgreSQL was asked. */
export async function markKeyAsked(redis: RedisConnection, key: KeyOfUser) {
  await runScript(redis, markScript, [redisKey(key)], [DAY_MS, 'state', 'asked']);
}

/** The request was refused at the gate. Losing this can only turn a "no" into another try: nothing was booked. */
export async function markKeyRefused(redis: RedisConnection, key: KeyOfUser, refusal: string) {
  await runScript(redis, markScript, [redisKey(key)], [DAY_MS, 'state', 'refused', 'refusal', refusal]);
}

/**
 * Since when (ms) Redis has not lost any key. Called without knowing, it begins now: whatever was before is for PostgreSQL to
 * say. `emptyRecords` is the word of somebody who saw that PostgreSQL has nothing to say.
 */
export async function keysRememberedSince(redis: RedisConnection, { emptyRecords = false } = {}): Promise<number> {
  const since = emptyRecords ? 0 : Date.now();
  return Number((await redis.set(MEMORY, since, 'NX', 'GET')) ?? since);
}

/** Whether a key that Redis does not know may all the same have a record. */
export function mayBeForgotten(rememberedSince: number, now = Date.now()) {
  return now - rememberedSince < DAY_MS;
}

/** The record of one key. */
export async function recordOfKey(db: Connection, { userId, key }: KeyOfUser): Promise<RecordedOutcome | undefined> {
  const { rows } = await db.execute<RecordedOutcome>(sql`
    select user_id as "userId", key, fingerprint, refusal,
      (${sql.raw(HELD_BOOKING)} from bookings where bookings.id = booking_id) as booking
    from idempotency_records where user_id = ${userId} and key = ${key}`);
  return rows[0] && toRecordedOutcome(rows[0]);
}

/** Whether there are records at all. */
export async function hasRecords(db: Connection): Promise<boolean> {
  const { rows } = await db.execute(sql`select 1 from idempotency_records limit 1`);
  return rows.length > 0;
}

/** Forgets records that are older than a day. @returns how many */
export async function deleteOldRecords(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from idempotency_records where ctid in (
      select ctid from idempotency_records where created_at < statement_timestamp() - interval '24 hours'
      limit ${limit} for update skip locked)`);
  return rowCount ?? 0;
}
