import pg, { type Pool, type PoolClient } from 'pg';
import { connectionOf, withClient } from '../db/client.ts';
import { isSilence, violates } from '../db/postgres-failures.ts';
import { type Failure, TicketingError } from '../errors.ts';
import {
  beginAndReadInventory,
  holdIfClear,
  type InventoryRow,
  type InventoryScope,
  insertHoldsAndCommit,
  type NewHold,
  readInventory,
} from '../queries/holds.ts';
import { reclaimExpiredHolds } from '../queries/inventory.ts';
import type { SoldOut } from '../queries/inventory-gate.ts';
import { heldAnswer, type RecordedOutcome } from '../rules/held-answers.ts';
import { decideHolds, type HoldRequest, isResolvedByWaiting } from '../rules/hold-decisions.ts';
import { timeOrderedId } from '../rules/ids.ts';
import { groupCommit } from './group-commit.ts';

/** How long a request waits for its transaction to begin. */
const QUEUE_TIMEOUT_MS = 3_000;
/** Expired holds that one statement reclaims at most, which bounds its duration. */
const MAX_RECLAIMED = 2_000;

/** A booking request; with an `Idempotency-Key`, the fingerprint tells it from a different request under the same key. */
export type HoldOrder = HoldRequest & { idempotency?: { key: string; fingerprint: string } | undefined };

/** The response to a booking request: the booking or a problem. A replay under the same key is the same byte for byte. */
export type HoldOutcome = { held: boolean; body: string; replayed: boolean };

export type HoldBatches = {
  pool: Pool;
  holdSeconds: number;
  /** The response body of a refused request. */
  refusalBody: (failure: Failure) => string;
  /**
   * Called after each commit that left ticket types sold out. No hold expires before `until`, an instant of
   * `performance.now()` (ms).
   */
  onSoldOut: (eventId: string, soldOut: SoldOut[], until: number) => void;
};

/**
 * Books: queues a request for its event's next transaction and returns the outcome.
 * @throws TicketingError busy, idempotency-key-reused; and PostgreSQL's errors
 */
// #region together
export function holdBatches(options: HoldBatches) {
  const submit = groupCommit<HoldOrder, HoldOutcome | TicketingError>({
    write: (eventId, orders) => writeOrders(options, eventId, orders),
    failureScope,
    // The batch may have been committed; the queue was not sent.
    errorOfQueued: (error) => (error instanceof TicketingError ? error.cause : error),
    maxBatchSize: 200,
    maxQueueLength: 2_000,
    maxInFlight: options.pool.options.max,
  });
  return async (eventId: string, order: HoldOrder): Promise<HoldOutcome> => {
    const outcome = await submit(eventId, order, { queueTimeoutMs: QUEUE_TIMEOUT_MS });
    if (outcome instanceof TicketingError) throw outcome;
    return outcome;
  };
}
// #endregion

/** Writes these requests in one transaction. @returns the outcome of each, in their order */
export async function writeOrders(options: HoldBatches, eventId: string, orders: HoldOrder[]) {
  const attempt = () => withClient(options.pool, (client) => writeBatch(client, options, eventId, orders));
  // Another transaction recorded one of these keys first. It has committed by now, so a retry finds its record.
  return attempt().catch((error: unknown) => {
    if (violates(error, 'idempotency_records_user_id_key_pk')) return attempt();
    throw error;
  });
}

/**
 * Runs a batch in one transaction: lock and read, decide, write and commit. A lone request that nothing stands in the way of
 * takes the fast path, in one round trip.
 */
async function writeBatch(db: PoolClient, options: HoldBatches, eventId: string, orders: HoldOrder[]) {
  const [alone, ...others] = orders;
  if (alone && others.length === 0) {
    const booking = await holdIfClear(db, eventId, alone, options.holdSeconds, alone.idempotency);
    if (booking) return [{ held: true, body: heldAnswer(booking), replayed: false }];
  }

  const asked = askedBy(orders);
  // PostgreSQL's clock is read after this instant, so a time left on its clock, added to it, ends too early at worst.
  const begun = performance.now();
  const { event, ...counted } = await beginAndReadInventory(db, eventId, asked);
  const inventory = await readAfterReclaim(db, eventId, asked, counted);
  const known = new Map(inventory.records.map((record) => [recordId(record), record]));
  const first = firstOfEachKey(orders, known);
  const { decisions, free } = decideHolds({ ...inventory, event }, first);

  const holdExpiresAt = new Date(inventory.now.getTime() + options.holdSeconds * 1000);
  const instants = { createdAt: inventory.now.toISOString(), holdExpiresAt: holdExpiresAt.toISOString() };
  const holds: NewHold[] = [];
  const decided = first.map((order, index) => {
    const decision = decisions[index];
    if (!decision) throw new Error('missing decision for a request');
    if ('refused' in decision) {
      const { refused } = decision;
      return { order, booking: null, refusal: options.refusalBody(refused), isFinal: !isResolvedByWaiting(refused) };
    }
    const { places, ...price } = decision.held;
    const booking = { id: timeOrderedId(inventory.now), eventId, ...price, ...instants };
    holds.push({ ...booking, userId: order.userId, places });
    return { order, booking, refusal: null, isFinal: true };
  });
  const records = decided.flatMap(({ order: { userId, idempotency }, ...outcome }) =>
    idempotency ? [{ userId, ...idempotency, ...outcome }] : [],
  );
  const lasting = records.filter(({ isFinal }) => isFinal);
  const written = insertHoldsAndCommit(db, holds, lasting);
  // The responses are built while PostgreSQL writes, and sent only after it has committed.
  const outcomes = new Map(decided.map(({ order, ...outcome }) => [order, outcomeOf(outcome, false)]));
  await written;

  const soldOut = inventory.ticketTypes
    .filter(({ id }) => free.get(id) === 0)
    .map(({ id, releases, name }) => ({ ticketTypeId: id, releases, ticketTypeName: name }));
  const nextHoldEnd = Math.min((inventory.firstHoldEnd ?? holdExpiresAt).getTime(), holdExpiresAt.getTime());
  if (soldOut.length > 0) options.onSoldOut(eventId, soldOut, begun + nextHoldEnd - inventory.now.getTime());

  for (const record of records) known.set(recordId(record), record);
  return orders.map((order) => outcomes.get(order) ?? replay(order, known));
}

function askedBy(orders: HoldOrder[]) {
  return {
    userIds: [...new Set(orders.map(({ userId }) => userId))],
    keys: orders.flatMap(({ userId, idempotency }) => (idempotency ? [{ userId, key: idempotency.key }] : [])),
  };
}

// #region ended-holds
/** Reclaims expired holds before anything is decided, so that a buyer need not wait for the background job. */
async function readAfterReclaim(db: PoolClient, eventId: string, asked: InventoryScope, counted: InventoryRow) {
  let inventory = counted;
  while (inventory.firstHoldEnd && inventory.firstHoldEnd <= inventory.now) {
    await reclaimExpiredHolds(connectionOf(db), eventId, MAX_RECLAIMED);
    inventory = await readInventory(db, eventId, asked);
  }
  return inventory;
}
// #endregion

/** Returns the requests to decide: those without a key, and the first of each key that has no record. */
function firstOfEachKey(orders: HoldOrder[], known: ReadonlyMap<string, RecordedOutcome>) {
  const seen = new Set(known.keys());
  return orders.filter(({ userId, idempotency }) => {
    if (!idempotency) return true;
    const id = recordId({ userId, key: idempotency.key });
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function replay({ userId, idempotency }: HoldOrder, known: ReadonlyMap<string, RecordedOutcome>) {
  const record = idempotency && known.get(recordId({ userId, key: idempotency.key }));
  if (!record) throw new Error('a request has neither a decision nor a record');
  return replayOf(record, idempotency.fingerprint);
}

/** Returns the response to a request whose key has a record. */
export function replayOf(record: RecordedOutcome, fingerprint: string): HoldOutcome | TicketingError {
  if (record.fingerprint !== fingerprint) return new TicketingError({ kind: 'idempotency-key-reused' });
  return outcomeOf(record, true);
}

function outcomeOf({ booking, refusal }: Pick<RecordedOutcome, 'booking' | 'refusal'>, replayed: boolean): HoldOutcome {
  return booking ? { held: true, body: heldAnswer(booking), replayed } : { held: false, body: refusal ?? '', replayed };
}

const recordId = ({ userId, key }: { userId: string; key: string }) => `${userId} ${key}`;

/**
 * Invalid data and constraint violations (SQLSTATE classes 22 and 23) concern one request: nothing was written. A silent PostgreSQL
 * concerns everything in the queue. A lock timeout concerns its batch, where each retry would wait as long, and so does a lost
 * connection: the next transaction gets another one, or fails at once.
 */
function failureScope(error: unknown) {
  if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) return 'request';
  return isSilence(error) ? 'queue' : 'batch';
}
