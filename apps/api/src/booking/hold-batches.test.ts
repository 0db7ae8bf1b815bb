import { randomUUID } from 'node:crypto';
import { useStores } from '@minitickets/stack/test-stores';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openWritingPool } from '../db/client.ts';
import { type Failure, TicketingError } from '../errors.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { locksWaitedFor, witnessOf } from '../testing/witness.ts';
import { type HoldOrder, holdBatches } from './hold-batches.ts';

const stores = useStores();
const made = useApp(stores);
let pool: ReturnType<typeof openWritingPool>;
let book: ReturnType<typeof holdBatches>;
const soldOutNews: string[][] = [];
beforeAll(async () => {
  pool = openWritingPool({ url: stores.databaseUrl, poolSize: 8, taskName: 'test', onIdleError: () => {} });
  book = holdBatches({
    pool,
    holdSeconds: 600,
    refusalBody,
    onSoldOut: (_eventId, soldOut) => soldOutNews.push(soldOut.map(({ ticketTypeName }) => ticketTypeName)),
  });
});
afterAll(() => pool.end());

const refusalBody = ({ kind }: Failure) => kind;
const userId = async () => (await person(made)).user.id;
/** All calls made in the same event-loop tick form one batch. */
const together = (eventId: string, orders: HoldOrder[]) =>
  Promise.allSettled(orders.map((order) => book(eventId, order)));
const bodies = (results: Awaited<ReturnType<typeof together>>) =>
  results.map((result) => {
    if (result.status === 'rejected')
      return result.reason instanceof TicketingError ? result.reason.failure.kind : 'error';
    return result.value.held ? 'held' : result.value.body;
  });

test('a batch is one transaction, and each request has its own outcome', async () => {
  const { event, lineOf, counts } = await shop(made, { capacities: [3] });
  const users = await Promise.all([userId(), userId(), userId()]);
  const orders = users.map((user) => ({ userId: user, lines: [lineOf(2)] }));
  orders.push({ userId: await userId(), lines: [lineOf(1)] });
  expect(bodies(await together(event.id, orders))).toEqual(['held', 'sold-out', 'sold-out', 'held']);
  expect(await counts()).toEqual([{ held: 3, sold: 0 }]);
  const { rows } = await made.db.execute(sql`select distinct xmin::text from bookings where event_id = ${event.id}`);
  expect(rows).toHaveLength(1);
  expect(soldOutNews.at(-1)).toEqual(['Type 1']);
});

test('a request that PostgreSQL rejects does not fail the rest of its batch', async () => {
  const { event, lineOf, counts } = await shop(made);
  const nobody = randomUUID();
  const orders = [await userId(), nobody, await userId()].map((user) => ({ userId: user, lines: [lineOf(1)] }));
  expect(bodies(await together(event.id, orders))).toEqual(['held', 'error', 'held']);
  expect(await counts()).toEqual([{ held: 2, sold: 0 }]);
});

test('a key that appears twice in a batch is decided once, and a different body under it is refused', async () => {
  const { event, lineOf, counts } = await shop(made);
  const user = await userId();
  const order = (fingerprint: string) => ({
    userId: user,
    lines: [lineOf(1)],
    idempotency: { key: 'twice in a batch', fingerprint },
  });
  const results = await together(event.id, [order('same'), order('same'), order('other')]);
  const [first, second] = results.map((result) => (result.status === 'fulfilled' ? result.value : null));
  expect(second).toEqual({ ...first, replayed: true });
  expect(bodies(results)).toEqual(['held', 'held', 'idempotency-key-reused']);
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('two concurrent transactions with the same key, whose claims were lost, book once', async () => {
  const [here, there] = [await shop(made), await shop(made)];
  const user = await userId();
  const outcomes = await Promise.allSettled(
    [here, there].map(({ event, lineOf }) =>
      book(event.id, {
        userId: user,
        lines: [lineOf(1)],
        idempotency: { key: 'one key, two events', fingerprint: event.id },
      }),
    ),
  );
  expect(bodies(outcomes).toSorted()).toEqual(['held', 'idempotency-key-reused']);
  expect([...(await here.counts()), ...(await there.counts())].filter(({ held }) => held > 0)).toHaveLength(1);
});

test('a request whose key another transaction is recording waits, and replays the record', async () => {
  const { event, lineOf, counts } = await shop(made);
  const witness = await witnessOf(stores);
  const user = await userId();
  for (const neighbours of [0, 2]) {
    const key = randomUUID();
    await witness.query('begin');
    await witness.query(
      `insert into idempotency_records (user_id, key, fingerprint, refusal) values ($1, $2, 'a', '{}')`,
      [user, key],
    );
    const orders: HoldOrder[] = [{ userId: user, lines: [lineOf(1)], idempotency: { key, fingerprint: 'b' } }];
    for (let count = 0; count < neighbours; count++) orders.push({ userId: await userId(), lines: [lineOf(1)] });
    const booking = together(event.id, orders);
    await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 1, { timeout: 2_000, interval: 5 });
    await witness.query('commit');
    expect(bodies(await booking)).toEqual(['idempotency-key-reused', ...Array(neighbours).fill('held')]);
  }
  expect(await counts()).toEqual([{ held: 2, sold: 0 }]);
});

test('a lost connection fails its batch, and the requests queued behind it are booked', async () => {
  const { event, typeIds, lineOf, counts } = await shop(made);
  const orders: HoldOrder[] = [];
  for (let count = 0; count < 4; count++) orders.push({ userId: await userId(), lines: [lineOf(1)] });
  const witness = await witnessOf(stores);
  await witness.query('begin');
  await witness.query('select from ticket_types where id = $1 for update', [typeIds[0]]);
  const lost = together(event.id, orders.slice(0, 2));
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 1, { timeout: 2_000, interval: 5 });
  const queued = together(event.id, orders.slice(2));
  await witness.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  expect(bodies(await lost)).toEqual(['outcome-unknown', 'outcome-unknown']);
  await witness.query('commit');
  expect(bodies(await queued)).toEqual(['held', 'held']);
  expect(await counts()).toEqual([{ held: 2, sold: 0 }]);
});

test('a refusal that waiting resolves answers both requests of a key in one batch, and is not stored', async () => {
  const { event, lineOf, change } = await shop(made, { salesOpenAt: new Date(Date.now() + 60_000) });
  const order = { userId: await userId(), lines: [lineOf(1)], idempotency: { key: 'too early', fingerprint: 'same' } };
  expect(bodies(await together(event.id, [order, order]))).toEqual(['sales-not-open', 'sales-not-open']);
  await change({ salesOpenAt: new Date(Date.now() - 1) });
  expect(bodies(await together(event.id, [order]))).toEqual(['held']);
});

test('expired holds return their inventory before a batch is decided', async () => {
  const { event, lineOf, counts } = await shop(made, { capacities: [2] });
  await book(event.id, { userId: await userId(), lines: [lineOf(2)] });
  await made.db.execute(sql`update bookings set hold_expires_at = now() - interval '1 s' where event_id = ${event.id}`);
  const orders = [await userId(), await userId()].map((user) => ({ userId: user, lines: [lineOf(1)] }));
  expect(bodies(await together(event.id, orders))).toEqual(['held', 'held']);
  expect(await counts()).toEqual([{ held: 2, sold: 0 }]);
});

test('bookings of overlapping ticket types in any order never deadlock', async () => {
  const { event, lineOf, counts } = await shop(made, { capacities: [1000, 1000, 1000] });
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  // Each pool acts as a task: its own connections and its own queue.
  const pools = Array.from({ length: 4 }, () =>
    openWritingPool({ url: stores.databaseUrl, poolSize: 2, taskName: 'test', onIdleError: () => {} }),
  );
  const tasks = pools.map((each) => holdBatches({ pool: each, holdSeconds: 600, refusalBody, onSoldOut: () => {} }));
  const users = await Promise.all(Array.from({ length: 24 }, userId));
  const results = await Promise.allSettled(
    users.flatMap((user, index) =>
      orders.slice(0, 3).map((order, turn) => {
        const lines = (orders[(index + turn) % 6] ?? order).map((type) => lineOf(1, type));
        return tasks[index % 4]?.(event.id, { userId: user, lines });
      }),
    ),
  );
  await Promise.all(pools.map((each) => each.end()));
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await counts()).toEqual(Array(3).fill({ held: 72, sold: 0 }));
});
