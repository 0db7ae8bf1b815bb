import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { audit } from '../audit/audit.ts';
import { bookings, payments, sandboxCharges } from '../db/schema.ts';
import { type BegunPayment, beginPayment } from '../queries/payments.ts';
import { type BookingStanding, type PaymentStatus, paymentAction, paymentGrid } from '../rules/payment-grid.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';
import { settlePayment } from './settle-payment.ts';

const made = useApp();

/** A booking of an event's only ticket in the given state, with one payment of the given status. */
async function world(standing: BookingStanding, status: PaymentStatus) {
  const { db } = made;
  const { book, pay, cancel, read, change } = await shop(made, { capacities: [1] });
  const { sid, user } = await person(made);
  const booking = (await book(sid)).json();
  const payment = await begin(booking.id, user.id);
  const setPayment = (to: PaymentStatus) => db.update(payments).set({ status: to }).where(eq(payments.id, payment.id));

  // First bring the payment to its status, with its ledger entries.
  if (status === 'declined') await settlePayment(db, payment.id, 'declined');
  if (status === 'charged') await provider(payment, 'accepted');
  if (status === 'refund_due' || status === 'refunded') {
    await change({ status: 'cancelled' });
    await provider(payment, 'accepted');
    await change({ status: 'on_sale' });
  }
  if (status === 'refunded') await provider(payment, 'refunded');

  // Then change the booking.
  const endHold = () =>
    db.update(bookings).set({ holdExpiresAt: sql`now() - interval '1 ms'` }).where(eq(bookings.id, booking.id));
  if (standing === 'lapsed_with_room') await endHold();
  if (standing === 'lapsed_without_room') {
    await endHold();
    expect((await book((await person(made)).sid)).statusCode).toBe(201);
  }
  if (standing === 'cancelled') await cancel(sid, booking);
  if (standing === 'withdrawn') await change({ status: 'cancelled' });
  if (standing === 'confirmed_otherwise' && status !== 'charged') {
    // As if the first payment had been given up before its message arrived.
    const before = status === 'pending' ? 'declined' : status;
    await setPayment(before);
    expect((await pay(sid, booking)).statusCode).toBe(200);
    await setPayment(status);
  }
  return { payment, booking, read: () => read(sid, booking) };
}

async function begin(bookingId: string, userId: string) {
  const payment = await beginPayment(made.db, bookingId, userId);
  if (!payment) throw new Error('nothing to pay');
  return payment;
}

/** Changes the charge at the provider and delivers the webhook. */
async function provider({ id, amountMinor, currency }: BegunPayment, word: 'accepted' | 'declined' | 'refunded') {
  const charge = { reference: id, amountMinor, currency, status: word };
  // Late and duplicate messages undo nothing at the provider.
  const forward = word === 'refunded' ? sql`true` : sql`${sandboxCharges.status} = 'declined'`;
  const set = { status: sql`case when ${forward} then ${word} else ${sandboxCharges.status} end` };
  await made.db.insert(sandboxCharges).values(charge).onConflictDoUpdate({ target: sandboxCharges.reference, set });
  return settlePayment(made.db, id, word, randomUUID());
}

const after: Record<ReturnType<typeof paymentAction>, PaymentStatus | null> = {
  confirm: 'charged',
  retake_and_confirm: 'charged',
  refund: 'refund_due',
  decline: 'declined',
  note_refund: 'refunded',
  note_charge_and_refund: 'refunded',
  revoke: 'refunded',
  nothing: null,
};
const standings = [
  'held',
  'lapsed_with_room',
  'lapsed_without_room',
  'withdrawn',
  'confirmed_otherwise',
  'cancelled',
] as const;
const cells = (Object.keys(paymentGrid) as PaymentStatus[])
  .flatMap((status) =>
    (['accepted', 'declined', 'refunded'] as const).flatMap((word) =>
      standings.map((standing) => ({ status, word, standing, action: paymentAction(status, word, standing) })),
    ),
  )
  // The booking of a charged payment is always confirmed.
  .filter(({ status, standing }) => status !== 'charged' || standing === 'confirmed_otherwise');

test.each(cells)(
  '$status, $standing: $word → $action, and all conservation laws hold',
  async ({ status, word, standing, action }) => {
    const { payment, read } = await world(standing, status);
    const before = await read();
    const settled = await provider(payment, word);
    expect(settled?.status).toBe(after[action] ?? status);
    const booking = await read();
    if (action === 'confirm' || action === 'retake_and_confirm') expect(booking.status).toBe('confirmed');
    else if (action === 'revoke') expect(booking.status).toBe('cancelled');
    else expect(booking.status).toBe(before.status);
    expect(booking.tickets).toHaveLength(booking.status === 'confirmed' ? 1 : 0);
    // A duplicate webhook changes nothing.
    const again = await provider(payment, word);
    expect(again?.status).toBe(settled?.status);
    expect(await read()).toEqual(booking);
    const broken = (await audit(made.db)).filter(({ offenders }) => offenders.length > 0);
    expect(broken).toEqual([]);
  },
);

test('three concurrent deliveries of one webhook are processed once', async () => {
  const { payment, read } = await world('held', 'pending');
  await made.db
    .insert(sandboxCharges)
    .values({ reference: payment.id, amountMinor: 1000, currency: 'EUR', status: 'accepted' });
  const webhookId = randomUUID();
  await Promise.all(Array.from({ length: 3 }, () => settlePayment(made.db, payment.id, 'accepted', webhookId)));
  expect((await read()).tickets).toHaveLength(1);
  expect((await audit(made.db)).filter(({ offenders }) => offenders.length > 0)).toEqual([]);
});

test('an unknown payment is reported as not ours', async () => {
  expect(await settlePayment(made.db, randomUUID(), 'accepted')).toBeNull();
});

test('a late payment confirms nothing beyond its buyer’s limit', async () => {
  const { db } = made;
  const { book, lineOf } = await shop(made, { capacities: [10], maxPerUser: 2 });
  const { sid, user } = await person(made);
  const booking = (await book(sid, [lineOf(2)])).json();
  const payment = await begin(booking.id, user.id);
  await db.update(bookings).set({ holdExpiresAt: sql`now() - interval '1 ms'` }).where(eq(bookings.id, booking.id));
  expect((await book(sid, [lineOf(1)])).statusCode).toBe(201);
  expect((await provider(payment, 'accepted'))?.status).toBe('refund_due');
});
