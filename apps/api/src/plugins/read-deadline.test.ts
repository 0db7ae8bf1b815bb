import { useStores } from '@minitickets/stack/test-stores';
import { expect, test, vi } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { type TestApp, testApp } from '../testing/test-app.ts';
import { wayToPostgres } from '../testing/way-to-postgres.ts';
import { READ_DEADLINE_MS } from './read-deadline.ts';

const stores = useStores();
/** Allowance for a busy machine. */
const LATE_MS = 2_000;
/** What docs/operations.md promises of a write. */
const WRITE_DEADLINE_MS = 4_000;

/** On a busy machine the first connections can miss their deadline. */
const untilServed = (app: TestApp['app']) =>
  vi.waitFor(async () => expect((await app.inject('/v1/events')).statusCode).toBe(200), 30_000);

test('while PostgreSQL is frozen every read of something new gets 503 within the deadline, even when it waits for a connection', async () => {
  const way = await wayToPostgres(stores.databaseUrl);
  const { app } = await testApp({ ...stores, databaseUrl: way.url });
  await untilServed(app);
  way.pause();
  const begunAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const answer = await app.inject(`/v1/events/event-${n}`);
      return { problem: answer.json(), afterMs: performance.now() - begunAt };
    }),
  );
  for (const { problem, afterMs } of answers) {
    expect(problem).toMatchObject({ status: 503, error: 'store_unavailable', retryAfter: 1 });
    expect(afterMs).toBeLessThan(READ_DEADLINE_MS + LATE_MS);
  }
});

test('after a freeze in which transactions were begun, every connection of the pool is usable again', async () => {
  const way = await wayToPostgres(stores.databaseUrl);
  const { app } = await testApp({ ...stores, databaseUrl: way.url });
  const direct = await testApp(stores);
  const sids = await Promise.all(Array.from({ length: 20 }, async () => (await person(direct)).sid));
  const createKeys = () =>
    Promise.all(
      sids.map(async (sid) => {
        const made = await app.inject({
          ...{ method: 'POST', url: '/v1/api-keys', cookies: { sid }, payload: { name: 'A program' } },
        });
        return made.statusCode;
      }),
    );
  await untilServed(app);
  // Opens all connections, so that each is in a transaction when the freeze comes.
  expect(new Set(await createKeys())).toEqual(new Set([201]));
  way.pause();
  expect(new Set(await createKeys())).toEqual(new Set([503]));
  way.resume();
  await untilServed(app);
  expect(new Set(await createKeys())).toEqual(new Set([201]));
});

test('while PostgreSQL is frozen every write gets 503 within its deadline, also behind another in the queue of its event', async () => {
  const way = await wayToPostgres(stores.databaseUrl);
  const { app } = await testApp({ ...stores, databaseUrl: way.url });
  const direct = await testApp(stores);
  const { event, lineOf } = await shop(direct);
  const sids = await Promise.all(Array.from({ length: 6 }, async () => (await person(direct)).sid));
  const post = (url: string, sid: string, payload: object) =>
    app.inject({ method: 'POST', url, cookies: { sid }, payload });
  const writes = sids.flatMap((sid) => [
    () => post('/v1/bookings', sid, { eventId: event.id, lines: [lineOf(1)] }),
    () => post('/v1/api-keys', sid, { name: 'A program' }),
  ]);
  await untilServed(app);
  way.pause();
  const begunAt = performance.now();
  const answers = await Promise.all(
    writes.map(async (write) => {
      const answer = await write();
      return { problem: answer.json(), afterMs: performance.now() - begunAt };
    }),
  );
  for (const { problem, afterMs } of answers) {
    expect(problem).toMatchObject({ status: 503, retryAfter: 1 });
    expect(afterMs).toBeLessThan(WRITE_DEADLINE_MS + LATE_MS);
  }
});

test('while PostgreSQL is frozen the public gets the last answer, and every other read of it is still bounded', async () => {
  const way = await wayToPostgres(stores.databaseUrl);
  const made = await testApp({ ...stores, databaseUrl: way.url });
  const { event, organiser } = await shop(made);
  const read = (sid?: string) => made.app.inject({ url: `/v1/events/${event.id}`, ...(sid && { cookies: { sid } }) });
  await untilServed(made.app);
  const before = await read();
  way.pause();
  expect(await read()).toMatchObject({ statusCode: 200, body: before.body });
  expect((await read(organiser.sid)).json()).toMatchObject({ status: 503, error: 'store_unavailable' });
});
