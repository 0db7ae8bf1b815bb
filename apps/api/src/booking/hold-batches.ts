import pg, { type Pool, type PoolClient } from 'pg';
import { connectionOf } from '../db/client.ts';
import { violates } from '../db/postgres-failures.ts';
import { type Failure, TicketingError } from '../errors.ts';
import {
  type Asked,
  beginAndReadInventory,
  holdIfClear,
  type InventoryRow,
  insertHoldsAndCommit,
  type NewHold,
  readInventory,
} from '../queries/holds.ts';
import type { RecordedOutcome } from '../queries/idempotency.ts';
import { reclaimEndedHolds } from '../queries/inventory.ts';
import type { SoldOut } from '../queries/inventory-gate.ts';
import { heldAnswer } from '../rules/held-answers.ts';
import { decideHolds, type HoldRequest, isMendedByTime } from '../rules/hold-decisions.ts';
import { timeOrderedId } from '../rules/ids.ts';
import { groupCommit } from './group-commit.ts';

/** How long a request waits for its transaction to begin. */
const QUEUE_TIMEOUT_MS = 3_000;
/** One statement gives back the places of at most so many ended holds, so that none runs long. */
const RECLAIM_AT_ONCE = 2_000;

/** A request with an `Idempotency-Key` also says what tells it from another one under the same key. */
export type HoldOrder = HoldRequest & { idempotency?: { key: string; fingerprint: string } | undefined };

/** What a request is told: the booking, or a problem. The same bytes each time it is told under the same key. */
export type HoldOutcome = { held: boolean; body: string; replayed: boolean };

export type HoldBatches = {
  pool: Pool;
  holdSeconds: number;
  /** The body of the answer to a refused request. */
  refusalBody: (failure: Failure) => string;
  /** Told after each commit that left ticket types without places, and how long it takes at least until a hold ends. */
  onSoldOut: (eventId: string, soldOut: SoldOut[], nextHoldEndMs: number) => void;
};

/**
 * Books: hands a request to its event's next transaction and waits for the outcome.
 * @throws TicketingError busy, idempotency-key-reused; and what PostgreSQL throws
 */
// #region together
export function holdBatches(options: HoldBatches) {
  const submit = groupCommit<HoldOrder, HoldOutcome | TicketingError>({
    write: (eventId, orders) => writeOrders(options, eventId, orders),
    isIsolable,
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

/** Writes all of these in one transaction. @returns the outcome of each, in their order */
export async function writeOrders(options: HoldBatches, eventId: string, orders: HoldOrder[]) {
  const attempt = () => withClient(options.pool, (client) => writeBatch(client, options, eventId, orders));
  // Another transaction has remembered one of these keys, and by now it has committed: its record can be read.
  return attempt().catch((error: unknown) => {
    if (violates(error, 'idempotency_records_user_id_key_pk')) return attempt();
    throw error;
  });
}

/** One batch, one transaction: lock and read, decide, write and commit. Who comes alone and is in nobody's way needs no second message. */
async function writeBatch(db: PoolClient, options: HoldBatches, eventId: string, orders: HoldOrder[]) {
  const [alone, ...others] = orders;
  if (alone && others.length === 0) {
    const booking = await holdIfClear(db, eventId, alone, options.holdSeconds, alone.idempotency);
    if (booking) return [{ held: true, body: heldAnswer(booking), replayed: false }];
  }

  const asked = askedBy(orders);
  const { event, ...counted } = await beginAndReadInventory(db, eventId, asked);
  const inventory = await withoutEndedHolds(db, eventId, asked, counted);
  const known = new Map(inventory.records.map((record) => [recordId(record), record]));
  const first = firstOfEachKey(orders, known);
  const { decisions, free } = decideHolds({ ...inventory, event }, first);

  const holdExpiresAt = new Date(inventory.now.getTime() + options.holdSeconds * 1000);
  const instants = { createdAt: inventory.now.toISOString(), holdExpiresAt: holdExpiresAt.toISOString() };
  const holds: NewHold[] = [];
  const decided = first.map((order, index) => {
    const decision = decisions[index];
    if (!decision) throw new Error('a request without a decision');
    if ('refused' in decision) {
      const { refused } = decision;
      return { order, booking: null, refusal: options.refusalBody(refused), isLasting: !isMendedByTime(refused) };
    }
    const { places, ...price } = decision.held;
    const booking = { id: timeOrderedId(inventory.now), eventId, ...price, ...instants };
    holds.push({ ...booking, userId: order.userId, places });
    return { order, booking, refusal: null, isLasting: true };
  });
  const records = decided.flatMap(({ order: { userId, idempotency }, ...outcome }) =>
    idempotency ? [{ userId, ...idempotency, ...outcome }] : [],
  );
  const lasting = records.filter(({ isLasting }) => isLasting);
  const written = insertHoldsAndCommit(db, eventId, holds, lasting);
  // The answers are put into words while PostgreSQL writes, and nobody hears them before it has written.
  const outcomes = new Map(decided.map(({ order, ...outcome }) => [order, outcomeOf(outcome, false)]));
  await written;

  const soldOut = inventory.ticketTypes
    .filter(({ id }) => free.get(id) === 0)
    .map(({ id, releases, name }) => ({ ticketTypeId: id, releases, ticketTypeName: name }));
  const nextHoldEnd = Math.min((inventory.firstHoldEnd ?? holdExpiresAt).getTime(), holdExpiresAt.getTime());
  if (soldOut.length > 0) options.onSoldOut(eventId, soldOut, nextHoldEnd - inventory.now.getTime());

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
/** Holds that have ended give their places back before anything is decided: the next buyer does not wait for a job. */
async function withoutEndedHolds(db: PoolClient, eventId: string, asked: Asked, counted: InventoryRow) {
  let inventory = counted;
  while (inventory.firstHoldEnd && inventory.firstHoldEnd <= inventory.now) {
    await reclaimEndedHolds(connectionOf(db), eventId, RECLAIM_AT_ONCE);
    inventory = await readInventory(db, eventId, asked);
  }
  return inventory;
}
// #endregion

/** The requests that are to be decided: without a key, or the first under a key that nothing is remembered of. */
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
  if (!record) throw new Error('a request that was neither decided nor remembered');
  return replayOf(record, idempotency.fingerprint);
}

/** The answer to a request under a key that has a record. */
export function replayOf(record: RecordedOutcome, fingerprint: string): HoldOutcome | TicketingError {
  if (record.fingerprint !== fingerprint) return new TicketingError({ kind: 'idempotency-key-reused' });
  return outcomeOf(record, true);
}

function outcomeOf({ booking, refusal }: Pick<RecordedOutcome, 'booking' | 'refusal'>, replayed: boolean): HoldOutcome {
  return booking ? { held: true, body: heldAnswer(booking), replayed } : { held: false, body: refusal ?? '', replayed };
}

const recordId = ({ userId, key }: { userId: string; key: string }) => `${userId} ${key}`;

/** Runs on one client. What PostgreSQL refused is rolled back; after any other error the connection is closed, which ends it too. */
async function withClient<Result>(pool: Pool, run: (client: PoolClient) => Promise<Result>) {
  const client = await pool.connect();
  try {
    const result = await run(client);
    client.release();
    return result;
  } catch (error) {
    if (error instanceof pg.DatabaseError) await client.query('rollback').then(() => client.release(), client.release);
    else client.release(true);
    throw error;
  }
}

/**
 * Data that PostgreSQL refuses, or a constraint (SQLSTATE classes 22 and 23): nothing was written, and a smaller batch may
 * do. Not so for a lock that did not come, where each further try would wait as long, nor for a connection that broke.
 */
function isIsolable(error: unknown) {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}
