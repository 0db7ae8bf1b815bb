import type { HoldOrder } from '@minitickets/api/booking/hold-batches';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { edits } from '../frame/edits.ts';
import type { Book } from '../frame/subjects/desks.ts';

const file = 'apps/api/src/queries/holds.ts';

/** Reads how many places are free, and writes if there are enough: two good statements, and nobody else is kept out. */
export const withoutLock = edits({ file, region: 'lock' }, { from: ' for no key update', to: '' });

// #region isolation
/** The lock is there, but every statement sees what was committed when the transaction began: before the wait for the lock. */
export function repeatableRead(pool: Pool) {
  pool.on('connect', (client) => void client.query("set default_transaction_isolation = 'repeatable read'"));
}
// #endregion

/** PostgreSQL does not look at what is free: Redis has. */
export const withoutCounts = edits(
  { file, region: 'counts' },
  { from: `'free', capacity - sold - held`, to: `'free', capacity` },
);

// #region counter
/** Places are taken from a counter in Redis that begins at the capacity. What it gives is written down in PostgreSQL. */
export function countedInRedis(redis: Redis, capacity: number, book: Book): Book {
  return async (eventId: string, order: HoldOrder) => {
    const places = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
    await redis.set(`free:${eventId}`, capacity, 'NX');
    if ((await redis.decrby(`free:${eventId}`, places)) >= 0) return book(eventId, order);
    await redis.incrby(`free:${eventId}`, places);
    return { held: false, body: 'sold out', replayed: false };
  };
}
// #endregion
