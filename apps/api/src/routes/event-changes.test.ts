import type { Booking } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { eq, sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { audit } from '../audit/audit.ts';
import { bookings, ledgerEntries, payments } from '../db/schema.ts';
import { endCancelledBookings } from '../jobs/end-cancelled-bookings.ts';
import { settleLatePayments } from '../jobs/settle-late-payments.ts';
import { sandboxProvider } from '../payments/sandbox-provider.ts';
import { type EventEdit, eventEditGrid, MIN_NOTICE_MS, type SaleState } from '../rules/event-changes.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { locksWaitedFor, witnessOf } from '../testing/witness.ts';

const stores = useStores();
const running = new AbortController().signal;
const made = useApp(stores);

const broken = async () => (await audit(made.db)).filter(({ offenders }) => offenders.length > 0);
const soon = (ms: number) => new Date(Date.now() + ms);
/** Moves the clock past the delay of the late-payments job, and runs it. */
async function sendRefunds() {
  await made.db.update(payments).set({ changedAt: sql`changed_at - interval '1 minute'` });
  await settleLatePayments(made, sandboxProvider(made.db), running);
}
const ledgerOf = async (booking: Pick<Booking, 'id'>) =>
  (
    await made.db
      .select({ kind: ledgerEntries.kind })
      .from(ledgerEntries)
      .innerJoin(payments, eq(payments.id, ledgerEntries.paymentId))
      .where(eq(payments.bookingId, booking.id))
      .orderBy(ledgerEntries.id)
  ).map(({ kind }) => kind);

/** An event of an organiser, a buyer, and the calls that edit it. */
async function ownShop() {
  const at = await shop(made, { capacities: [20] });
  const { sid } = await person(made);
  const patch = (url: string, body: object) =>
    made.app.inject({ method: 'PATCH', url, cookies: { sid: at.organiser.sid }, payload: body });
  const change = (body: object) => patch(`/v1/events/${at.event.id}`, body);
  const buy = async (places = 1) => {
    const booking = (await at.book(sid, [at.lineOf(places)])).json() as Booking;
    return (await at.pay(sid, booking)).json() as Booking;
  };
  const admit = (booking: Booking) =>
    at.call('POST', '/v1/check-ins', at.organiser.sid, { code: booking.tickets[0]?.code });
  return {
    ...at,
    sid,
    patch,
    setColumns: at.change,
    change,
    buy,
    admit,
    cancelEvent: () => change({ status: 'cancelled' }),
  };
}
type Shop = Awaited<ReturnType<typeof ownShop>>;

/** Brings a new event into a state of sale. @returns the buyer's booking, if there is one */
const reach: Record<SaleState, (at: Shop) => Promise<Booking | undefined>> = {
  nothing_sold: async () => undefined,
  held: async ({ book, sid }) => (await book(sid)).json(),
  sold: ({ buy }) => buy(),
  checked_in: async ({ buy, admit }) => {
    const booking = await buy(2);
    expect((await admit(booking)).statusCode).toBe(201);
    return booking;
  },
  started: async ({ buy, setColumns }) => {
    const booking = await buy();
    await setColumns({ startsAt: soon(-1000) });
    return booking;
  },
  cancelled: async ({ buy, cancelEvent }) => {
    const booking = await buy();
    expect((await cancelEvent()).statusCode).toBe(200);
    return booking;
  },
};

/** Sends an edit. */
const make: Record<EventEdit, (at: Shop) => Promise<{ statusCode: number; json(): { error?: string } }>> = {
  describe: ({ change }) => change({ name: 'Another evening', maxPerUser: 5 }),
  change_sale: ({ change }) => change({ salesCloseAt: soon(3_600_000) }),
  change_types: ({ patch, event, typeIds }) =>
    patch(`/v1/events/${event.id}/ticket-types/${typeIds[0]}`, { priceMinor: 9900 }),
  publish: async ({ change, setColumns, event }) => {
    if ((await made.app.inject(`/v1/events/${event.id}`)).json().status === 'on_sale')
      await setColumns({ status: 'draft' });
    return change({ status: 'on_sale' });
  },
  withdraw: ({ change }) => change({ status: 'draft' }),
  postpone: ({ change }) => change({ startsAt: soon(60 * MIN_NOTICE_MS) }),
  bring_forward: ({ change }) => change({ startsAt: soon(2 * MIN_NOTICE_MS) }),
  start_at_short_notice: ({ change }) => change({ startsAt: new Date('2020-01-01') }),
  cancel: ({ change }) => change({ status: 'cancelled', venue: 'Nowhere' }),
};
const cells = (Object.keys(make) as EventEdit[]).flatMap((edit) =>
  (Object.keys(reach) as SaleState[])
    // A start in the past can only be moved later.
    .filter((state) => !(edit === 'bring_forward' && state === 'started'))
    .map((state) => [edit, state, eventEditGrid[edit][state]] as const),
);

test.each(cells)(
  '%s of an event in the state %s: %s, and its buyers have what the table says',
  async (edit, state, outcome) => {
    const at = await ownShop();
    const booking = await reach[state](at);
    const before = booking && (await at.read(at.sid, booking));
    const answer = await make[edit](at);
    if (outcome === 'refused') expect(answer.json()).toMatchObject({ status: 409, error: 'change_not_possible' });
    else expect(answer.statusCode).toBe(200);
    const after = booking && (await at.read(at.sid, booking));
    if (outcome === 'refunded') {
      expect(after).toMatchObject({
        status: 'cancelled',
        tickets: [],
        payment: state === 'held' ? 'unpaid' : 'refunded',
      });
    } else {
      expect(after).toEqual(before);
    }
  },
);

test('the buyers of a cancelled event are refunded in full, once, also when a ticket was checked in', async () => {
  const at = await ownShop();
  const booking = await reach.checked_in(at);
  if (!booking) throw new Error('nothing was sold');
  await at.cancelEvent();
  expect(await at.read(at.sid, booking)).toMatchObject({ status: 'cancelled', payment: 'refunded', tickets: [] });
  expect(await at.counts()).toEqual([{ held: 0, sold: 0 }]);
  expect(await ledgerOf(booking)).toEqual(['charge']);
  await sendRefunds();
  await sendRefunds();
  expect(await ledgerOf(booking)).toEqual(['charge', 'refund']);
  expect((await at.cancel(at.sid, booking)).statusCode).toBe(200);
  expect(await ledgerOf(booking)).toEqual(['charge', 'refund']);
  expect(await broken()).toEqual([]);
});

test('two concurrent cancellations of an event refund each booking once', async () => {
  const at = await ownShop();
  const booking = await at.buy(2);
  const answers = await Promise.all([at.cancelEvent(), at.cancelEvent(), at.cancel(at.sid, booking)]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  await Promise.all([sendRefunds(), sendRefunds()]);
  expect(await ledgerOf(booking)).toEqual(['charge', 'refund']);
  expect(await at.counts()).toEqual([{ held: 0, sold: 0 }]);
  expect(await broken()).toEqual([]);
});

test('the job ends each booking that a cancellation left alive exactly once, also when two tasks run it', async () => {
  const at = await ownShop();
  const paid = await at.buy(2);
  const held = (await at.book(at.sid)).json();
  const expired = (await at.book(at.sid)).json();
  await made.db
    .update(bookings)
    .set({ holdExpiresAt: soon(-1000) })
    .where(eq(bookings.id, expired.id));
  // As a task of an older version cancels an event.
  await at.setColumns({ status: 'cancelled' });
  const signal = new AbortController().signal;
  const ended = await Promise.all([endCancelledBookings(made.db, signal), endCancelledBookings(made.db, signal)]);
  expect(ended[0] + ended[1]).toBe(3);
  expect(await endCancelledBookings(made.db, signal)).toBe(0);
  expect(await at.read(at.sid, paid)).toMatchObject({ status: 'cancelled', payment: 'refunded' });
  expect(await at.read(at.sid, held)).toMatchObject({ status: 'cancelled', payment: 'unpaid' });
  expect(await at.read(at.sid, expired)).toMatchObject({ status: 'expired', payment: 'unpaid' });
  expect(await at.counts()).toEqual([{ held: 0, sold: 0 }]);
  await sendRefunds();
  expect(await ledgerOf(paid)).toEqual(['charge', 'refund']);
  expect(await broken()).toEqual([]);
});

/** Holds the event's lock while two requests queue up behind it, the first one first; then lets both go. */
async function queueBehindLock<First, Second>(
  eventId: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
) {
  const witness = await witnessOf(stores);
  await witness.query('begin');
  await witness.query('select from events where id = $1 for no key update', [eventId]);
  const one = first();
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 1, { timeout: 2_500, interval: 5 });
  const two = second();
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 2, { timeout: 2_500, interval: 5 });
  await witness.query('rollback');
  return Promise.all([one, two]);
}

test.each(['the cancellation', 'the payment'])(
  'a payment races the cancellation of its event, and %s wins: no money is kept',
  async (winner) => {
    const at = await ownShop();
    const booking = (await at.book(at.sid)).json();
    const pay = () => at.pay(at.sid, booking);
    const isFirst = winner === 'the payment';
    const answers = await queueBehindLock(at.event.id, isFirst ? pay : at.cancelEvent, isFirst ? at.cancelEvent : pay);
    expect(answers[isFirst ? 1 : 0].statusCode).toBe(200);
    expect(answers[isFirst ? 0 : 1].statusCode).toBe(isFirst ? 200 : 409);
    await sendRefunds();
    expect(await at.read(at.sid, booking)).toMatchObject({ status: 'cancelled', payment: 'refunded', tickets: [] });
    expect(await ledgerOf(booking)).toEqual(['charge', 'refund']);
    expect(await broken()).toEqual([]);
  },
);

test('a check-in races the cancellation of its event: the money goes back once, and the ticket admits nobody afterwards', async () => {
  const at = await ownShop();
  const booking = await at.buy();
  const witness = await witnessOf(stores);
  await witness.query('begin');
  await witness.query('select from tickets where booking_id = $1 for update', [booking.id]);
  const cancelling = at.cancelEvent();
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 1, { timeout: 2_500, interval: 5 });
  const admitting = at.admit(booking);
  await vi.waitUntil(async () => (await locksWaitedFor(witness)) === 2, { timeout: 2_500, interval: 5 });
  await witness.query('rollback');
  expect((await cancelling).statusCode).toBe(200);
  const admitted = (await admitting).statusCode;
  expect([201, 409]).toContain(admitted);
  expect((await at.admit(booking)).json()).toMatchObject({ status: 409, error: 'ticket_not_valid' });
  await sendRefunds();
  expect(await at.read(at.sid, booking)).toMatchObject({ status: 'cancelled', payment: 'refunded', tickets: [] });
  expect(await ledgerOf(booking)).toEqual(['charge', 'refund']);
  expect(await broken()).toEqual([]);
});

test('cancelling a cancelled event again changes nothing and is no error', async () => {
  const at = await ownShop();
  await at.cancelEvent();
  const again = await at.cancelEvent();
  expect(again.statusCode).toBe(200);
  expect(again.json()).toMatchObject({ status: 'cancelled' });
});
