import type { HoldOrder } from '@minitickets/api/booking/hold-batches';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { edits } from '../frame/edits.ts';
import type { Book } from '../frame/subjects/desks.ts';

const file = 'apps/api/src/queries/holds.ts';

/** Reads how many tickets are free, and writes if there are enough: two correct statements, and nothing excludes the others. */
export const withoutLock = edits({ file, region: 'lock' }, { from: ' for no key update', to: '' });

// #region isolation
/** The lock is there, but every statement reads the transaction's snapshot, which is from before the wait for the lock. */
export function repeatableRead(pool: Pool) {
  pool.on('connect', (client) => void client.query("set default_transaction_isolation = 'repeatable read'"));
}
// #endregion

/** PostgreSQL doesn't check what is free, because Redis has. */
export const withoutCounts = edits(
  { file, region: 'counts' },
  { from: `'free', capacity - sold - held`, to: `'free', capacity` },
);

// #region counter
/** Tickets are taken from a counter in Redis that starts at the capacity, and recorded in PostgreSQL. */
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
