import { useStores } from '@minitickets/stack/test-stores';
import { expect, test, vi } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { testApp, useApp } from '../testing/test-app.ts';
import { locksWaitedFor, witnessOf } from '../testing/witness.ts';

const stores = useStores();
const made = useApp(stores);

/** A user with this many tickets of an event. */
async function holder(places: number) {
  const at = await shop(made, { capacities: [20] });
  const { sid, user } = await person(made);
  const booking = (await at.book(sid, [at.lineOf(places)])).json();
  const { tickets } = (await at.pay(sid, booking)).json() as { tickets: { id: string; code: string }[] };
  const admit = (by: string, code = tickets[0]?.code) => at.call('POST', '/v1/check-ins', by, { code });
  return { ...at, sid, user, booking, tickets, admit };
}

test('of two concurrent check-ins one is refused with the time of the other', async () => {
  const { admit, organiser } = await holder(1);
  const answers = await Promise.all(Array.from({ length: 4 }, () => admit(organiser.sid)));
  const admitted = answers.filter(({ statusCode }) => statusCode === 201);
  expect(admitted).toHaveLength(1);
  for (const { statusCode, body } of answers.filter((answer) => answer !== admitted[0])) {
    expect(statusCode).toBe(409);
    expect(JSON.parse(body)).toMatchObject({
      error: 'already_checked_in',
      detail: expect.stringContaining(admitted[0]?.json().checkedInAt),
    });
  }
});

test('only the event’s organiser admits: no other organiser, no admin and not the holder', async () => {
  const { admit, organiser, sid } = await holder(1);
  for (const role of ['organiser', 'admin', 'customer'] as const) {
    expect((await admit((await person(made, { role })).sid)).statusCode).toBe(403);
  }
  expect((await admit(sid)).statusCode).toBe(403);
  expect((await admit('')).statusCode).toBe(401);
  expect((await admit(organiser.sid)).statusCode).toBe(201);
});

test('a code with an invalid signature is refused', async () => {
  const { admit, organiser, tickets } = await holder(2);
  const [one, other] = tickets.map(({ code }) => code.split('.'));
  const mixed = [...(one ?? []).slice(0, 3), other?.[3]].join('.');
  expect((await admit(organiser.sid, mixed)).json()).toMatchObject({ status: 409, error: 'ticket_not_valid' });
  expect((await admit(organiser.sid, tickets[0]?.id)).json()).toMatchObject({ error: 'ticket_not_valid' });
});

test('a ticket of a cancelled booking is refused', async () => {
  const { admit, organiser, cancel, sid, booking } = await holder(1);
  await cancel(sid, booking);
  expect((await admit(organiser.sid)).json()).toMatchObject({ status: 409, error: 'ticket_not_valid' });
});

test('a booking with a checked-in ticket cannot be cancelled', async () => {
  const { admit, organiser, cancel, sid, booking, counts } = await holder(2);
  await admit(organiser.sid);
  expect((await cancel(sid, booking)).json()).toMatchObject({ status: 409, error: 'booking_not_cancellable' });
  expect(await counts()).toEqual([{ held: 0, sold: 2 }]);
});

test('of a concurrent cancellation and check-in exactly one succeeds', async () => {
  const { admit, organiser, cancel, sid, booking, read } = await holder(1);
  const witness = await witnessOf(stores);
  // The cancellation has read its tickets and is blocked here.
  await witness.query('begin');
  await witness.query('select from bookings where id = $1 for update', [booking.id]);
  const cancelling = cancel(sid, booking);
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 1, { timeout: 2_000, interval: 5 });
  let isAnswered = false;
  const admitting = admit(organiser.sid).finally(() => {
    isAnswered = true;
  });
  await vi.waitUntil(async () => isAnswered || (await locksWaitedFor(witness)) === 2, { timeout: 2_000, interval: 5 });
  await witness.query('rollback');
  expect((await cancelling).statusCode).toBe(200);
  expect((await admitting).json()).toMatchObject({ status: 409, error: 'ticket_not_valid' });
  expect(await read(sid, booking)).toMatchObject({ status: 'cancelled', payment: 'refunded' });
});

test('tickets of a cancelled event are refused', async () => {
  const { admit, organiser, change } = await holder(1);
  await change({ status: 'cancelled' });
  expect((await admit(organiser.sid)).json()).toMatchObject({ status: 409, error: 'ticket_not_valid' });
});

test('after a rotation of the application secret, printed tickets are valid while the old secret is configured', async () => {
  const { admit, organiser, tickets } = await holder(1);
  const secret = 'a newer secret that was made when the old one had leaked';
  const knowsBoth = await testApp(stores, { appSecret: secret, appSecretsBefore: [made.config.appSecret] });
  const knowsNew = await testApp(stores, { appSecret: secret, appSecretsBefore: [] });
  const admitAt = (at: typeof made) =>
    at.app.inject({
      method: 'POST',
      url: '/v1/check-ins',
      cookies: { sid: organiser.sid },
      payload: { code: tickets[0]?.code },
    });
  expect((await admitAt(knowsNew)).json()).toMatchObject({ error: 'ticket_not_valid' });
  expect((await admitAt(knowsBoth)).statusCode).toBe(201);
  expect((await admit(organiser.sid)).json()).toMatchObject({ error: 'already_checked_in' });
});

test('the door list has every ticket once, page by page, with its check-in; only the event’s organiser may read it', async () => {
  const { admit, organiser, call, event, sid, user, tickets, book, pay, lineOf } = await holder(3);
  const second = await person(made);
  await pay(second.sid, (await book(second.sid, [lineOf(2)])).json());
  await admit(organiser.sid);
  const url = `/v1/events/${event.slug}/door-list?limit=2`;
  type Entry = { ticketId: string; holderName: string; checkedInAt: string | null; checkedInBy: string | null };
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Entry[]; nextCursor: string | null } = (
      await call('GET', cursor ? `${url}&cursor=${cursor}` : url, organiser.sid)
    ).json();
    expect(page.items.length).toBeLessThanOrEqual(2);
    entries.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  expect(new Set(entries.map(({ ticketId }) => ticketId)).size).toBe(5);
  expect(entries).toHaveLength(5);
  expect(entries.filter(({ checkedInAt }) => checkedInAt)).toMatchObject([
    { ticketId: tickets[0]?.id, holderName: user.name, checkedInBy: organiser.user.id },
  ]);
  const other = await person(made, { role: 'organiser' });
  expect((await call('GET', url, other.sid)).statusCode).toBe(404);
  expect((await call('GET', url, sid)).statusCode).toBe(403);
  expect((await made.app.inject(url)).statusCode).toBe(401);
});

test('only its holder sees a ticket', async () => {
  const { call, sid, organiser, tickets } = await holder(1);
  const url = `/v1/tickets/${tickets[0]?.id}`;
  expect((await call('GET', url, sid)).json()).toMatchObject({ code: tickets[0]?.code, eventName: 'A test evening' });
  for (const path of [url, `${url}.svg`]) {
    expect((await call('GET', path, organiser.sid)).statusCode).toBe(404);
    expect((await made.app.inject(path)).statusCode).toBe(401);
  }
});
