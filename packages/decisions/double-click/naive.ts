import { replayOf } from '@minitickets/api/booking/hold-batches';
import { idempotencyRecords } from '@minitickets/api/db/schema';
import { fail, TicketingError } from '@minitickets/api/errors';
import { recordOfKey } from '@minitickets/api/queries/idempotency';
import type { BookingTask } from '../frame/arena.ts';
import type { Book } from '../frame/subjects/desks.ts';

/** Looks the key up, books, stores the key: three correct steps that aren't atomic together. */
export function lookThenBook({ db }: BookingTask, write: Book): Book {
  return async (eventId, order) => {
    const { idempotency, ...request } = order;
    if (!idempotency) return write(eventId, request);
    // #region look-then-book
    const key = { userId: order.userId, key: idempotency.key };
    const known = await recordOfKey(db, key);
    const replayed = known && replayOf(known, idempotency.fingerprint);
    if (replayed instanceof TicketingError) throw replayed;
    if (replayed) return replayed;
    const outcome = await write(eventId, request);
    await db
      .insert(idempotencyRecords)
      .values(recordOf(key, idempotency, outcome))
      .onConflictDoNothing();
    return outcome;
    // #endregion
  };
}

/** Claims the key in Redis and stores the response there for later clicks. */
export function rememberedInRedis({ redis }: BookingTask, write: Book): Book {
  return async (eventId, order) => {
    const { idempotency, ...request } = order;
    if (!idempotency) return write(eventId, request);
    // #region remembered-in-redis
    const key = `answer:${order.userId}:${idempotency.key}`;
    const claimed = await redis.set(key, 'running', 'EX', 86_400, 'NX');
    const known = claimed ? null : await redis.get(key);
    if (known === 'running') fail({ kind: 'idempotency-in-progress' });
    if (known !== null) return { held: true, body: known, replayed: true };
    const outcome = await write(eventId, request);
    await redis.set(key, outcome.body, 'EX', 86_400);
    return outcome;
    // #endregion
  };
}

const recordOf = (
  key: { userId: string; key: string },
  { fingerprint }: { fingerprint: string },
  { held, body }: { held: boolean; body: string },
) => ({ ...key, fingerprint, ...(held ? { bookingId: JSON.parse(body).id } : { refusal: body }) });
