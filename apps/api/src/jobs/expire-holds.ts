import type { Database } from '../db/client.ts';
import { eventsWithExpiredHolds, reclaimExpiredHolds, tryLockEvent } from '../queries/inventory.ts';

/** Small enough that a booking never waits long behind one of our transactions. */
const HOLDS_AT_ONCE = 500;
const EVENTS_AT_ONCE = 50;

/**
 * Gives the places of ended holds back. Nothing depends on it being on time: reads and batches look at the clock themselves.
 * It goes on until nothing is due, so that an outage of an hour is made up for in one run, in short transactions.
 * An event that is locked at the moment is left to whoever locks it: another task's run, or bookings, which reclaim as well.
 */
export async function expireHolds(db: Database, signal: AbortSignal) {
  let ended = 0;
  let found = EVENTS_AT_ONCE;
  let endedInRound = 1;
  while (found === EVENTS_AT_ONCE && endedInRound > 0 && !signal.aborted) {
    const eventIds = await eventsWithExpiredHolds(db, EVENTS_AT_ONCE);
    found = eventIds.length;
    endedInRound = 0;
    for (const eventId of eventIds) {
      let endedAtOnce = HOLDS_AT_ONCE;
      while (endedAtOnce === HOLDS_AT_ONCE && !signal.aborted) {
        endedAtOnce = await db.transaction(async (transaction) =>
          (await tryLockEvent(transaction, eventId)) ? reclaimExpiredHolds(transaction, eventId, HOLDS_AT_ONCE) : 0,
        );
        endedInRound += endedAtOnce;
      }
    }
    ended += endedInRound;
  }
  return ended;
}
