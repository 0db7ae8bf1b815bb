import type { Redis } from 'ioredis';
import type { PoolClient } from 'pg';

/** Longer than any request may take; a claim that a dead task left behind is gone after it. */
const CLAIM_MS = 15_000;

export type RecordedAnswer = { userId: string; key: string; fingerprint: string; status: number; body: string };

const claimKey = (userId: string, key: string) => `idempotency:${userId}:${key}`;

/**
 * Says to all tasks that this request is running. It keeps a second click from waiting in a queue; that no key is ever
 * decided twice is for the records in PostgreSQL, whatever becomes of Redis.
 * @returns false if another request with the key is running
 */
export async function claimIdempotencyKey(redis: Redis, userId: string, key: string) {
  return (await redis.set(claimKey(userId, key), '1', 'PX', CLAIM_MS, 'NX')) === 'OK';
}

/** The request has ended, however it did. */
export async function releaseIdempotencyKey(redis: Redis, userId: string, key: string) {
  await redis.del(claimKey(userId, key));
}

/**
 * Remembers the answers of a batch in the transaction that decided them. Of two transactions with the same key, which only a
 * lost claim lets happen, the second fails here and finds the first one's record when it tries again.
 */
export async function insertIdempotencyRecords(db: PoolClient, records: RecordedAnswer[]) {
  await db.query({
    name: 'insert_idempotency_records',
    text: `
      insert into idempotency_records (user_id, key, fingerprint, status, body)
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[], $5::text[])`,
    values: [
      records.map(({ userId }) => userId),
      records.map(({ key }) => key),
      records.map(({ fingerprint }) => fingerprint),
      records.map(({ status }) => status),
      records.map(({ body }) => body),
    ],
  });
}
