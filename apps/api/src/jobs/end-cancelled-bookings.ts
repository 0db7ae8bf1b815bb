import type { Database } from '../db/client.ts';
import { cancelledEventsWithBookings, endBookingsOfEvent } from '../queries/cancelled-events.ts';
import { tryLockEvent } from '../queries/inventory.ts';

const EVENTS_AT_ONCE = 50;
const BOOKINGS_AT_ONCE = 500;

/**
 * Ends the bookings of cancelled events in short transactions, so that a sold-out arena is refunded without one long one. The
 * cancelled event is the outbox record: a task that dies halfway leaves the rest to the next run. An event that another task has
 * locked is left to that task.
 * @returns how many bookings were ended
 */
export async function endCancelledBookings(db: Database, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const eventId of await cancelledEventsWithBookings(db, EVENTS_AT_ONCE)) {
    let ended = BOOKINGS_AT_ONCE;
    while (ended === BOOKINGS_AT_ONCE && !signal.aborted) {
      ended = await db.transaction(async (transaction) =>
        (await tryLockEvent(transaction, eventId)) ? endBookingsOfEvent(transaction, eventId, BOOKINGS_AT_ONCE) : 0,
      );
      total += ended;
    }
  }
  return total;
}
