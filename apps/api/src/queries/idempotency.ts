import type { Redis } from 'ioredis';
import type { HeldBooking } from '../rules/held-answers.ts';

/** Longer than any request may take; a claim that a dead task left behind is gone after it. */
const CLAIM_MS = 15_000;

/** What is remembered under a key: the booking that was held, or the refusal as it was sent. */
export type RecordedOutcome = {
  userId: string;
  key: string;
  fingerprint: string;
  booking: HeldBooking | null;
  refusal: string | null;
};

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
