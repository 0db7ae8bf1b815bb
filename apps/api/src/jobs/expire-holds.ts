import type { Database } from '../db/client.ts';
import { eventsWithExpiredHolds, reclaimExpiredHolds, tryLockEvent } from '../queries/inventory.ts';

/** Small enough that a booking never waits long for one of these transactions. */
const MAX_HOLDS_PER_TRANSACTION = 500;
const MAX_EVENTS_PER_ROUND = 50;

/**
 * Returns the inventory of expired holds. Nothing depends on its timing: reads and batches compare with the clock themselves.
 * It continues until nothing is due, so that one run catches up on an hour's outage in short transactions. It skips an event
 * that another transaction has locked: another task's run, or bookings, which reclaim too.
 */
export async function expireHolds(db: Database, signal: AbortSignal) {
  let ended = 0;
  let found = MAX_EVENTS_PER_ROUND;
  let endedInRound = 1;
  while (found === MAX_EVENTS_PER_ROUND && endedInRound > 0 && !signal.aborted) {
    const eventIds = await eventsWithExpiredHolds(db, MAX_EVENTS_PER_ROUND);
    found = eventIds.length;
    endedInRound = 0;
    for (const eventId of eventIds) {
      let endedAtOnce = MAX_HOLDS_PER_TRANSACTION;
      while (endedAtOnce === MAX_HOLDS_PER_TRANSACTION && !signal.aborted) {
        endedAtOnce = await db.transaction(async (transaction) =>
          (await tryLockEvent(transaction, eventId))
            ? reclaimExpiredHolds(transaction, eventId, MAX_HOLDS_PER_TRANSACTION)
            : 0,
        );
        endedInRound += endedAtOnce;
      }
    }
    ended += endedInRound;
  }
  return ended;
}
