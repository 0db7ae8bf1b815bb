import { randomUUID } from 'node:crypto';
import { startRedis } from '@minitickets/stack/redis';
import { useStores } from '@minitickets/stack/test-stores';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { claimKey, keysRememberedSince } from '../queries/idempotency.ts';
import { closedGate, closeGates, openGates } from '../queries/inventory-gate.ts';
import { createSession } from '../queries/sessions.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { type TestApp, testApp } from '../testing/test-app.ts';

const stores = useStores();
/** Two tasks that share a Redis of this file's own, because a test empties it. */
let here: TestApp;
let there: typeof here;
let server: Awaited<ReturnType<typeof startRedis>>;
let witness: pg.Client;
beforeAll(async () => {
  server = await startRedis();
  here = await testApp(stores, { redisUrl: server.url });
  there = await testApp(stores, { redisUrl: server.url });
  await vi.waitUntil(() => here.redis.status === 'ready' && there.redis.status === 'ready', { timeout: 10_000 });
  await keysRememberedSince(here.redis, { emptyRecords: true });
  witness = new pg.Client({ connectionString: stores.databaseUrl, application_name: 'witness' });
  await witness.connect();
}, 60_000);
afterAll(async () => {
  await witness.end();
  await server.stop();
});

const buyer = async () => (await person(here)).sid;

const gateOf = ({ event, typeIds }: { event: { id: string }; typeIds: string[] }) =>
  closedGate(here.redis, event.id, typeIds);
type Shop = Awaited<ReturnType<typeof shop>>;

/** Requests tickets of a sold-out event until its gate is seen closed: on a busy machine it may be open again by then. */
async function closeGateOf(made: Shop) {
  const isClosed = async () => {
    expect((await made.book(await buyer())).json()).toMatchObject({ error: 'sold_out' });
    return gateOf(made);
  };
  await vi.waitUntil(isClosed, { timeout: 20_000, interval: 1 });
}

/** Closes the gate and removes its expiry: it would otherwise open by itself within a second, however slow the machine is. */
async function keepGateClosed(made: Shop) {
  const key = `gate:{${made.event.id}}:${made.typeIds[0]}`;
  do {
    await closeGateOf(made);
    await here.redis.persist(key);
    // Tasks close gates without waiting for the reply: an earlier booking's message may still arrive, with an expiry.
    for (let roundTrip = 0; roundTrip < 5; roundTrip++) await here.redis.ping();
  } while ((await here.redis.pttl(key)) !== -1);
}

/** An event whose only ticket is held, with its gate closed. */
async function soldOut() {
  const made = await shop(here, { capacities: [1] });
  const holder = await buyer();
  const booking = (await made.book(holder)).json();
  await closeGateOf(made);
  return { ...made, holder, booking };
}

test('behind a closed gate a request is refused without a query to PostgreSQL, with the same body as at PostgreSQL', async () => {
  const made = await soldOut();
  const [first, second] = [await buyer(), await buyer()];
  await keepGateClosed(made);
  // A query about any of them would wait, and the request would end with 503.
  onTestFinished(async () => void (await witness.query('rollback')));
  await witness.query('begin');
  await witness.query('lock table events, ticket_types, bookings, idempotency_records in access exclusive mode');
  const refused = await made.book(first);
  const keyed = await made.book(second, undefined, randomUUID());
  expect(refused.json()).toMatchObject({ status: 409, error: 'sold_out', detail: expect.stringContaining('“Type 1”') });
  expect([keyed.statusCode, keyed.body]).toEqual([409, refused.body]);
});

test('a released ticket is bookable at once', async () => {
  const made = await soldOut();
  const next = await buyer();
  await keepGateClosed(made);
  await made.cancel(made.holder, made.booking);
  expect((await made.book(next)).statusCode).toBe(201);
});

test('a ticket that the organiser adds is bookable at once', async () => {
  const made = await soldOut();
  const { event, typeIds, organiser, call, book } = made;
  const url = `/v1/events/${event.id}/ticket-types`;
  const { sid } = await person(here, { tier: 'pro' });
  await keepGateClosed(made);
  const raised = await here.app.inject({
    method: 'PATCH',
    url: `${url}/${typeIds[0]}`,
    cookies: { sid: organiser.sid },
    payload: { capacity: 2 },
  });
  expect(raised.json()).toMatchObject({ capacity: 2, available: 1 });
  expect((await book(sid)).statusCode).toBe(201);
  await keepGateClosed(made);
  const balcony = { name: 'Balcony', priceMinor: 1000, currency: 'EUR', capacity: 1 };
  const added = await call('POST', url, organiser.sid, balcony);
  expect((await book(sid, [{ ticketTypeId: added.json().id, quantity: 1 }])).statusCode).toBe(201);
});

test('if the message of a release is lost, the gate opens by itself within a second', async () => {
  const made = await soldOut();
  const { book, event, booking, typeIds } = made;
  const key = `gate:{${event.id}}:${typeIds[0]}`;
  // On a busy machine the gate may be open again before its remaining time is read: -2.
  let ttlMs = await here.redis.pttl(key);
  for (; ttlMs === -2; ttlMs = await here.redis.pttl(key)) await closeGateOf(made);
  expect(ttlMs).toBeGreaterThanOrEqual(0);
  expect(ttlMs).toBeLessThan(1_000);
  // Released behind the application's back, so that no task sends a message.
  await here.db.execute(sql`update bookings set status = 'cancelled' where id = ${booking.id}`);
  await here.db.execute(sql`update ticket_types set held = 0 where id = ${typeIds[0]}`);
  const sid = (await person(here, { tier: 'pro' })).sid;
  const isBooked = async () => (await gateOf({ event, typeIds })) === null && (await book(sid)).statusCode === 201;
  expect(await vi.waitUntil(isBooked, { timeout: 20_000, interval: 5 })).toBe(true);
});

test('a gate opened for a sold-out event sells nothing: it can only refuse', async () => {
  const { book, event, typeIds, counts } = await soldOut();
  await openGates(here.redis, event.id, [{ ticketTypeId: typeIds[0] ?? '', releases: 1_000 }]);
  expect((await book(await buyer())).json()).toMatchObject({ error: 'sold_out' });
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('a stale “sold out”, from before a release, closes no gate', async () => {
  const eventId = randomUUID();
  const type = (releases: number) => ({ ticketTypeId: 'a', releases, ticketTypeName: 'A' });
  const close = (releases: number) =>
    closeGates(here.redis, eventId, [type(releases)], { until: performance.now() + 60_000, rememberedSince: 0 });
  const isClosed = async () => (await closedGate(here.redis, eventId, ['a'])) !== null;
  await openGates(here.redis, eventId, [type(2)]);
  await close(1);
  expect(await isClosed()).toBe(false);
  // Repeated, because a gate opens by itself within a second, and a slow machine may look later.
  const closes = async () => {
    await close(2);
    return isClosed();
  };
  await vi.waitUntil(closes, { timeout: 20_000 });
  // And the reverse: a stale release, from before the ticket was sold again, opens no gate.
  const staysClosed = async () => {
    await close(2);
    await openGates(here.redis, eventId, [type(2)]);
    return isClosed();
  };
  await vi.waitUntil(staysClosed, { timeout: 20_000 });
  await openGates(here.redis, eventId, [type(3)]);
  expect(await isClosed()).toBe(false);
});

test('a gate never stays closed past the end of the next hold, however late the message reaches Redis', async () => {
  const eventId = randomUUID();
  const soldOutType = { ticketTypeId: 'a', releases: 0, ticketTypeName: 'A' };
  const close = (until: number) => closeGates(here.redis, eventId, [soldOutType], { until, rememberedSince: 0 });
  await close(performance.now() - 1);
  expect(await closedGate(here.redis, eventId, ['a'])).toBeNull();
  await close(performance.now() + 50);
  expect(await here.redis.pttl(`gate:{${eventId}}:a`)).toBeLessThanOrEqual(50);
});

test('a refusal at the gate is replayed under its key, even after tickets are free again', async () => {
  const made = await soldOut();
  const { book, cancel, holder, booking } = made;
  const sid = await buyer();
  const key = randomUUID();
  if (!(await gateOf(made))) await closeGateOf(made);
  const refused = await book(sid, undefined, key);
  await cancel(holder, booking);
  const again = await book(sid, undefined, key);
  expect([again.statusCode, again.body]).toEqual([409, refused.body]);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect((await book(sid, undefined, randomUUID())).statusCode).toBe(201);
});

test('a refusal that waiting resolves is not stored: the same key books once the sale is open', async () => {
  const { book, change, counts } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  await change({ salesOpenAt: new Date(Date.now() + 60_000) });
  const early = await Promise.all([book(sid, undefined, key), book(sid, undefined, randomUUID())]);
  for (const answer of early) expect(answer.json()).toMatchObject({ error: 'sales_not_open', retryAfter: 60 });
  const again = await book(sid, undefined, key);
  expect(again.json()).toMatchObject({ error: 'sales_not_open' });
  expect(again.headers['idempotency-replayed']).toBeUndefined();
  await change({ salesOpenAt: new Date(Date.now() - 1) });
  const open = await book(sid, undefined, key);
  expect(open.statusCode).toBe(201);
  expect((await book(sid, undefined, key)).body).toBe(open.body);
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('an idempotency key is known on every task', async () => {
  const { book, counts, event, lineOf } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  const first = await book(sid, undefined, key);
  const elsewhere = await there.app.inject({
    method: 'POST',
    url: '/v1/bookings',
    cookies: { sid },
    headers: { 'idempotency-key': key },
    payload: { eventId: event.id, lines: [lineOf(1)] },
  });
  expect([elsewhere.statusCode, elsewhere.body]).toEqual([201, first.body]);
  expect(elsewhere.headers['idempotency-replayed']).toBe('true');
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('a replayed response stays the same after its booking is paid or cancelled', async () => {
  const { book, pay, cancel } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  const first = await book(sid, undefined, key);
  await pay(sid, first.json());
  expect((await book(sid, undefined, key)).body).toBe(first.body);
  await cancel(sid, first.json());
  expect((await book(sid, undefined, key)).body).toBe(first.body);
});

test('while the first request with a key is running, every task answers the second with idempotency_in_progress', async () => {
  const { book, event, lineOf } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  await witness.query('begin');
  await witness.query('select from events where id = $1 for update', [event.id]);
  const first = book(sid, undefined, key);
  const isWaiting = async () => {
    const { rows } = await witness.query(`select from pg_stat_activity where wait_event_type = 'Lock'`);
    return rows.length > 0;
  };
  await vi.waitUntil(isWaiting, { timeout: 2_000, interval: 1 });
  const second = await there.app.inject({
    method: 'POST',
    url: '/v1/bookings',
    cookies: { sid },
    headers: { 'idempotency-key': key },
    payload: { eventId: event.id, lines: [lineOf(1)] },
  });
  await witness.query('rollback');
  expect(second.json()).toMatchObject({ status: 409, error: 'idempotency_in_progress' });
  expect((await first).statusCode).toBe(201);
  expect((await book(sid, undefined, key)).body).toBe((await first).body);
});

test('concurrent requests with one key create one booking', async () => {
  const { book, counts } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 5 }, () => book(sid, undefined, key)));
  const booked = answers.filter(({ statusCode }) => statusCode === 201);
  expect(booked.length).toBeGreaterThan(0);
  expect(new Set(booked.map(({ body }) => body)).size).toBe(1);
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 201)) {
    expect(answer.json()).toMatchObject({ status: 409, error: 'idempotency_in_progress' });
  }
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('a server error is not stored: the same key can be used again', async () => {
  const { book, event } = await shop(here);
  const sid = await buyer();
  const key = randomUUID();
  // The lock times out, so that nothing is decided.
  await witness.query('begin');
  await witness.query('select from events where id = $1 for update', [event.id]);
  const failed = await book(sid, undefined, key);
  await witness.query('rollback');
  expect(failed.json()).toMatchObject({ status: 503, error: 'busy' });
  expect((await book(sid, undefined, key)).statusCode).toBe(201);
});

test('a claim that a crashed task left behind is taken over, and its outcome looked up in PostgreSQL', async () => {
  const key = { userId: randomUUID(), key: randomUUID() };
  const claims = async () => new Set(await here.redis.keys('*idempotency:*'));
  const before = await claims();
  expect(await claimKey(here.redis, key, 'print')).toEqual({ state: 'claimed' });
  expect(await claimKey(there.redis, key, 'print')).toEqual({ state: 'running' });
  expect(await claimKey(there.redis, key, 'other')).toEqual({ state: 'reused' });
  const [claim = ''] = [...(await claims())].filter((name) => !before.has(name));
  // Twenty seconds pass.
  await here.redis.hset(claim.slice(here.config.redisKeyPrefix.length), 'since', Date.now() - 20_000);
  expect(await claimKey(there.redis, key, 'print')).toEqual({ state: 'abandoned' });
});

test('a key that Redis has lost is still known to PostgreSQL, even behind a closed gate', async () => {
  const made = await shop(here, { capacities: [1] });
  const { sid, user } = await person(here);
  const key = randomUUID();
  const first = await made.book(sid, undefined, key);
  await here.redis.flushall();
  await createSession(here.redis, sid, user, sessionOwner(here.config.appSecret, user.id));
  await keepGateClosed(made);
  const again = await made.book(sid, undefined, key);
  expect([again.statusCode, again.body]).toEqual([201, first.body]);
  expect(await made.counts()).toEqual([{ held: 1, sold: 0 }]);
});
