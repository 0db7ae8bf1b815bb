import { createHash, randomUUID } from 'node:crypto';
import type { Booking } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { and, eq } from 'drizzle-orm';
import { beforeAll, expect, test, vi } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { type TestApp, testApp } from '../testing/test-app.ts';
import { wayToPostgres } from '../testing/way-to-postgres.ts';
import { apiKeys, bookings, events, payments, tickets, users } from './schema.ts';

/** PostgreSQL carries out what it was sent, and the connection breaks before its answer arrives. */

const stores = useStores();
let direct: TestApp;
beforeAll(async () => {
  direct = await testApp(stores);
});

const PASSWORD = 'a password that nobody guesses';

/** A task whose answers from PostgreSQL can be lost, with an event, its organiser, an admin, a customer and a booking of each kind. */
async function world() {
  const way = await wayToPostgres(stores.databaseUrl);
  const task = await testApp({ ...stores, databaseUrl: way.url }, { taskName: `task-${randomUUID()}` });
  const at = await shop(direct);
  const { sid, user } = await person(direct);
  const held = (await at.book(sid)).json() as Booking;
  const paid = (await at.pay(sid, (await at.book(sid)).json())).json() as Booking;
  const admin = await person(direct, { role: 'admin' });
  const call = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, by: string = sid) =>
    task.app.inject({ method, url, cookies: { sid: by }, ...(payload && { payload }) });
  return { way, task, at, sid, user, held, paid, admin, call };
}
type World = Awaited<ReturnType<typeof world>>;

const only = (rows: unknown[]) => rows.length === 1;
const aDay = 24 * 3_600_000;
const inDays = (days: number) => new Date(Date.now() + days * aDay).toISOString();
const newEvent = {
  ...{ name: 'An evening', venue: 'Town Hall', timeZone: 'Europe/Berlin', status: 'draft', maxPerUser: 4 },
  ...{ startsAt: inDays(9), salesOpenAt: inDays(1), salesCloseAt: inDays(8), ticketTypes: [] },
};

type Case = {
  /** The messages to PostgreSQL up to the one whose answer is lost. */
  loses: RegExp[];
  send: (world: World) => Promise<{ statusCode: number; json: () => unknown }>;
  /** Whether the request was carried out. */
  isDone: (world: World) => Promise<boolean>;
};

const statusOf = async ({ held }: World) =>
  (await direct.db.select({ status: bookings.status }).from(bookings).where(eq(bookings.id, held.id)))[0]?.status;
const emailOf = ({ user }: World) => `lost-${user.id}@example.test`;
const register = (at: World) =>
  at.call('POST', '/v1/users', { email: emailOf(at), password: PASSWORD, name: 'Someone' }, '');
const isRegistered = async (at: World) =>
  only(
    await direct.db
      .select()
      .from(users)
      .where(eq(users.email, emailOf(at))),
  );
const cancel = (at: World) => at.call('DELETE', `/v1/bookings/${at.held.id}`);
const pay = (at: World) => at.call('POST', `/v1/bookings/${at.held.id}/payment`, { paymentToken: 'tok_accepted' });
const book = (at: World) => at.call('POST', '/v1/bookings', { eventId: at.at.event.id, lines: [at.at.lineOf(1)] });

const cases: Record<string, Case> = {
  'a lone booking': {
    loses: [/hold_if_clear\0/],
    send: book,
    isDone: async ({ user }) =>
      (await direct.db.select().from(bookings).where(eq(bookings.userId, user.id))).length === 3,
  },
  'a cancellation, at its COMMIT': {
    loses: [/\bcommit\0/],
    send: cancel,
    isDone: async (at) => (await statusOf(at)) === 'cancelled',
  },
  'a cancellation, after its COMMIT': {
    loses: [/\bcommit\0/, /select .* from "bookings"/s],
    send: cancel,
    isDone: async (at) => (await statusOf(at)) === 'cancelled',
  },
  'the record of a payment': {
    loses: [/insert into payments/],
    send: pay,
    isDone: async ({ held }) => only(await direct.db.select().from(payments).where(eq(payments.bookingId, held.id))),
  },
  'a confirmation': {
    loses: [/confirm_if_clear\0/],
    send: pay,
    isDone: async (at) => (await statusOf(at)) === 'confirmed',
  },
  'a payment, after its confirmation': {
    loses: [/confirm_if_clear\0/, /select .* from "bookings"/s],
    send: pay,
    isDone: async (at) => (await statusOf(at)) === 'confirmed',
  },
  'a registration': { loses: [/insert into "users"/], send: register, isDone: isRegistered },
  'a registration, after its INSERT': {
    loses: [/insert into "users"/, /select "tier" from "users"/],
    send: register,
    isDone: isRegistered,
  },
  'a new event': {
    loses: [/\bcommit\0/],
    send: ({ call, at, user }) =>
      call('POST', '/v1/events', { ...newEvent, slug: `lost-${user.id}` }, at.organiser.sid),
    isDone: async ({ user }) =>
      only(
        await direct.db
          .select()
          .from(events)
          .where(eq(events.slug, `lost-${user.id}`)),
      ),
  },
  'a new API key': {
    loses: [/\bcommit\0/],
    send: ({ call }) => call('POST', '/v1/api-keys', { name: 'A program' }),
    isDone: async ({ user }) => only(await direct.db.select().from(apiKeys).where(eq(apiKeys.userId, user.id))),
  },
  'a check-in': {
    loses: [/update "tickets"/],
    send: ({ call, at, paid }) => call('POST', '/v1/check-ins', { code: paid.tickets[0]?.code }, at.organiser.sid),
    isDone: async ({ paid }) => {
      const [ticket] = await direct.db
        .select()
        .from(tickets)
        .where(eq(tickets.id, paid.tickets[0]?.id ?? ''));
      return ticket?.checkedInAt !== null;
    },
  },
  'a changed tier, after its COMMIT': {
    loses: [/\bcommit\0/, /select "tier" from "users"/],
    send: ({ call, user, admin }) => call('PATCH', `/v1/admin/users/${user.id}`, { tier: 'pro' }, admin.sid),
    isDone: async ({ user }) =>
      only(
        await direct.db
          .select()
          .from(users)
          .where(and(eq(users.id, user.id), eq(users.tier, 'pro'))),
      ),
  },
};

test.each(Object.entries(cases))('the outcome of %s is reported as unknown if the answer is lost', async (_, row) => {
  const at = await world();
  expect(await row.isDone(at)).toBe(false);
  at.way.loseAnswer(...row.loses);
  const answer = await row.send(at);
  expect(at.way.hasLost()).toBe(true);
  expect(answer.json()).toMatchObject({ status: 503, error: 'outcome_unknown', retryAfter: 1 });
  // PostgreSQL may still be at it when the connection breaks.
  await vi.waitFor(async () => expect(await row.isDone(at)).toBe(true), 10_000);
});

test.each<[string, RegExp]>([
  ['BEGIN', /\bbegin\0/],
  ['a write before COMMIT', /update bookings set status = 'cancelled'/],
])('a transaction that loses the answer to %s has written nothing, and says so', async (_, message) => {
  const at = await world();
  at.way.loseAnswer(message);
  const answer = await cancel(at);
  expect(at.way.hasLost()).toBe(true);
  expect(answer.json()).toMatchObject({ status: 503, error: 'store_unavailable', retryAfter: 1 });
  expect(await statusOf(at)).toBe('held');
  expect((await cancel(at)).json()).toMatchObject({ status: 'cancelled' });
});

test('a booking whose answer was lost is found again under its key, and is made once', async () => {
  const { way, task, at, sid, user } = await world();
  const headers = { 'idempotency-key': createHash('sha256').update(user.id).digest('hex') };
  const send = () =>
    task.app.inject({
      ...{ method: 'POST', url: '/v1/bookings', cookies: { sid }, headers },
      payload: { eventId: at.event.id, lines: [at.lineOf(1)] },
    });
  way.loseAnswer(/hold_if_clear\0/);
  expect((await send()).json()).toMatchObject({ error: 'outcome_unknown' });
  const again = await send();
  expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
  expect(await at.counts()).toEqual([{ held: 2, sold: 1 }]);
});

test('a read that loses its answer is repeatable, so its outcome is not unknown', async () => {
  const { way, task, sid, held } = await world();
  way.loseAnswer(/select .* from "bookings"/s);
  const answer = await task.app.inject({ url: `/v1/bookings/${held.id}`, cookies: { sid } });
  expect(answer.json()).toMatchObject({ status: 503, error: 'store_unavailable' });
});
