import type { Booking } from '@minitickets/contract';
import pg, { type Pool, type PoolClient } from 'pg';
import { connectionOf } from '../db/client.ts';
import { type Failure, TicketingError } from '../errors.ts';
import { insertHeldLines, insertHolds, lockEventForHolds, readInventory } from '../queries/holds.ts';
import { insertIdempotencyRecords, type RecordedAnswer } from '../queries/idempotency.ts';
import { reclaimEndedHolds } from '../queries/inventory.ts';
import { decideHolds, type Hold, type HoldRequest } from '../rules/hold-decisions.ts';
import { coalesceWrites } from './coalesce-writes.ts';

/** How long a request waits for its transaction to begin. */
const PATIENCE_MS = 3_000;
/** One statement gives back the places of at most so many ended holds, so that none runs long. */
const RECLAIM_AT_ONCE = 2_000;

/** A request with an `Idempotency-Key` also says what tells it from another one under the same key. */
export type HoldOrder = HoldRequest & { idempotency?: { key: string; fingerprint: string } };

/** What a request is told, as the bytes that are remembered under its key. */
export type Answer = { status: number; body: string };
export type HoldOutcome = Answer & { replayed: boolean };

type HoldBatches = {
  pool: Pool;
  holdSeconds: number;
  /** The answer to a refused request. */
  answerToRefused: (failure: Failure) => Answer;
};

/**
 * Books: hands a request to its event's next transaction and waits for the answer.
 * @throws TicketingError busy, idempotency-key-reused; and what PostgreSQL throws
 */
export function holdBatches(options: HoldBatches) {
  const submit = coalesceWrites<HoldOrder, HoldOutcome | TicketingError>({
    write: (eventId, orders) => writeBatch(options, eventId, orders),
    isIsolable,
    largestBatch: 200,
    longestQueue: 2_000,
    mostInFlight: 4,
  });
  return async (eventId: string, order: HoldOrder): Promise<HoldOutcome> => {
    const outcome = await submit(eventId, order, { patienceMs: PATIENCE_MS });
    if (outcome instanceof TicketingError) throw outcome;
    return outcome;
  };
}

/** One batch, one transaction: lock and read, decide, write and commit. Two round trips, as nothing inside a half waits. */
async function writeBatch({ pool, holdSeconds, answerToRefused }: HoldBatches, eventId: string, orders: HoldOrder[]) {
  return withClient(pool, async (client) => {
    const [, event, counted] = await Promise.all([
      client.query('begin'),
      lockEventForHolds(client, eventId),
      readFor(client, eventId, orders),
    ]);
    const inventory = await withoutEndedHolds(client, eventId, orders, counted);

    const known = new Map(inventory.records.map((record) => [recordId(record), record]));
    const first = firstOfEachKey(orders, known);
    const { decisions } = decideHolds({ ...inventory, event }, first);

    const createdAt = inventory.now;
    const holdExpiresAt = new Date(createdAt.getTime() + holdSeconds * 1000);
    const holds: ({ id: string; userId: string } & Hold)[] = [];
    const answers = new Map<HoldOrder, Answer>();
    first.forEach((order, index) => {
      const decision = decisions[index];
      if (!decision) throw new Error('a request without a decision');
      if ('held' in decision) {
        const hold = { id: crypto.randomUUID(), userId: order.userId, ...decision.held };
        holds.push(hold);
        answers.set(order, answerToHeld(hold, { eventId, createdAt, holdExpiresAt }));
      } else answers.set(order, answerToRefused(decision.refused));
    });

    const records = [...answers].flatMap(([{ userId, idempotency }, answer]) =>
      idempotency ? [{ userId, ...idempotency, ...answer }] : [],
    );
    await Promise.all([
      holds.length > 0 && insertHolds(client, eventId, holds, { createdAt, holdExpiresAt }),
      holds.length > 0 && insertHeldLines(client, holds),
      records.length > 0 && insertIdempotencyRecords(client, records),
      client.query('commit'),
    ]);

    for (const record of records) known.set(recordId(record), record);
    return orders.map((order) => {
      const answer = answers.get(order);
      return answer ? { ...answer, replayed: false } : replay(order, known);
    });
  });
}

function readFor(client: PoolClient, eventId: string, orders: HoldOrder[]) {
  const keys = orders.flatMap(({ userId, idempotency }) => (idempotency ? [{ userId, key: idempotency.key }] : []));
  return readInventory(client, eventId, [...new Set(orders.map(({ userId }) => userId))], keys);
}

/** Holds that have ended give their places back before anything is decided: the next buyer does not wait for a job. */
async function withoutEndedHolds(
  client: PoolClient,
  eventId: string,
  orders: HoldOrder[],
  counted: Awaited<ReturnType<typeof readFor>>,
) {
  let inventory = counted;
  while (inventory.firstHoldEnd && inventory.firstHoldEnd <= inventory.now) {
    await reclaimEndedHolds(connectionOf(client), eventId, RECLAIM_AT_ONCE);
    inventory = await readFor(client, eventId, orders);
  }
  return {
    ...inventory,
    placesOfUsers: new Map(inventory.placesOfUsers.map(({ userId, places }) => [userId, places])),
  };
}

/** The requests that are to be decided: without a key, or the first under a key that nothing is remembered of. */
function firstOfEachKey(orders: HoldOrder[], known: ReadonlyMap<string, RecordedAnswer>) {
  const seen = new Set(known.keys());
  return orders.filter(({ userId, idempotency }) => {
    if (!idempotency) return true;
    const id = recordId({ userId, key: idempotency.key });
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function replay({ userId, idempotency }: HoldOrder, known: ReadonlyMap<string, RecordedAnswer>) {
  const record = idempotency && known.get(recordId({ userId, key: idempotency.key }));
  if (!record) throw new Error('a request that was neither decided nor remembered');
  if (record.fingerprint !== idempotency.fingerprint) return new TicketingError({ kind: 'idempotency-key-reused' });
  return { status: record.status, body: record.body, replayed: true };
}

const recordId = ({ userId, key }: { userId: string; key: string }) => `${userId} ${key}`;

function answerToHeld(
  hold: Hold & { id: string },
  { eventId, createdAt, holdExpiresAt }: { eventId: string; createdAt: Date; holdExpiresAt: Date },
): Answer {
  const booking: Booking = {
    id: hold.id,
    eventId,
    status: 'held',
    payment: 'unpaid',
    lines: hold.lines,
    totalMinor: hold.totalMinor,
    currency: hold.currency,
    holdExpiresAt: holdExpiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
    tickets: [],
  };
  return { status: 201, body: JSON.stringify(booking) };
}

/** Runs on one client; after an error the transaction is rolled back, or its connection is closed, which ends it too. */
async function withClient<Result>(pool: Pool, run: (client: PoolClient) => Promise<Result>) {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await run(client);
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Data that PostgreSQL refuses, or a constraint (SQLSTATE classes 22 and 23): nothing was written, and a smaller batch may
 * do. Not so for a lock that did not come, where each further try would wait as long, nor for a connection that broke.
 */
function isIsolable(error: unknown) {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}
