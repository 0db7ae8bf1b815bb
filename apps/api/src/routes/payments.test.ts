import { randomUUID } from 'node:crypto';
import { headers } from '@minitickets/contract';
import { eq, sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { audit } from '../audit/audit.ts';
import { bookings, payments, sandboxCharges, sandboxEvents, ticketTypes } from '../db/schema.ts';
import { settleLatePayments } from '../jobs/settle-late-payments.ts';
import { deriveKey } from '../keys.ts';
import { sandboxProvider } from '../payments/sandbox-provider.ts';
import { deliverSandboxEvents, webhookBody } from '../payments/sandbox-webhooks.ts';
import { beginPayment } from '../queries/payments.ts';
import { insertSandboxCharge, refundSandboxCharge } from '../queries/sandbox-charges.ts';
import { signWebhook } from '../rules/webhook-signatures.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const running = new AbortController().signal;
const made = useApp();

const buyer = async () => (await person(made)).sid;
const webhookKey = () => deriveKey(made.config.appSecret, 'webhook-signature');
const post = async (body: string, signature: string) =>
  (
    await made.app.inject({
      method: 'POST',
      url: '/v1/payments/webhook',
      headers: { 'content-type': 'application/json', [headers.sandboxSignature]: signature },
      payload: body,
    })
  ).statusCode;
const deliver = () => deliverSandboxEvents({ db: made.db, key: webhookKey(), post });
const paymentOf = async (bookingId: string) => {
  const [payment] = await made.db.select().from(payments).where(eq(payments.bookingId, bookingId));
  if (!payment) throw new Error('no payment was started');
  return payment;
};
/** Ages all payments by a minute. */
const waitAMinute = () => made.db.update(payments).set({ changedAt: sql`changed_at - interval '1 minute'` });
const endHold = (id: string) =>
  made.db.update(bookings).set({ holdExpiresAt: sql`now() - interval '1 ms'` }).where(eq(bookings.id, id));
const broken = async () => (await audit(made.db)).filter(({ offenders }) => offenders.length > 0);

test('the API waits for a slow provider', async () => {
  const { book, pay } = await shop(made);
  const sid = await buyer();
  expect((await pay(sid, (await book(sid)).json(), 'tok_slow')).json()).toMatchObject({ status: 'confirmed' });
});

test('a charge whose response is lost is confirmed by its webhook, and charged once', async () => {
  const { book, pay, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const lost = await pay(sid, booking, 'tok_answer_lost');
  expect(lost.json()).toMatchObject({ status: 409, error: 'payment_in_progress' });
  expect(await read(sid, booking)).toMatchObject({ status: 'held', payment: 'pending' });
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 409, error: 'payment_in_progress' });
  expect(await deliver()).toBeGreaterThan(0);
  expect(await read(sid, booking)).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed' });
  const charged = await made.db.select().from(payments).where(eq(payments.bookingId, booking.id));
  expect(charged).toMatchObject([{ status: 'charged' }]);
  expect(await broken()).toEqual([]);
});

test('a buyer who waits for a lost response gets the outcome that the webhook brought', async () => {
  const { book, pay } = await shop(made);
  const sid = await buyer();
  const paying = pay(sid, (await book(sid)).json(), 'tok_answer_lost');
  await vi.waitUntil(deliver, { timeout: 2_500, interval: 20 });
  expect((await paying).json()).toMatchObject({ status: 'confirmed' });
});

test('two concurrent requests to pay charge once', async () => {
  const { book, pay } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const answers = await Promise.all(Array.from({ length: 4 }, () => pay(sid, booking, 'tok_slow')));
  const statuses = answers.map(({ statusCode }) => statusCode).toSorted();
  expect(statuses).toEqual([200, 409, 409, 409]);
  expect(await made.db.select().from(payments).where(eq(payments.bookingId, booking.id))).toHaveLength(1);
});

/** A task crashed after the charge and before recording it; the webhook is lost as well. */
async function chargedByADeadTask(booking: { id: string }) {
  const [of] = await made.db.select({ userId: bookings.userId }).from(bookings).where(eq(bookings.id, booking.id));
  const payment = await beginPayment(made.db, booking.id, of?.userId ?? '');
  if (!payment) throw new Error('nothing to pay');
  await insertSandboxCharge(made.db, { reference: payment.id, amountMinor: 1000, currency: 'EUR', status: 'accepted' });
  await made.db.update(sandboxEvents).set({ deliveredAt: sql`now()` });
  return payment;
}

test('a charge settled after its hold expired is confirmed if the tickets are free, and refunded if they are not', async () => {
  for (const someoneElseWasFaster of [false, true]) {
    const { book, read, counts } = await shop(made, { capacities: [1] });
    const sid = await buyer();
    const booking = (await book(sid)).json();
    await chargedByADeadTask(booking);
    await endHold(booking.id);
    if (someoneElseWasFaster) expect((await book(await buyer())).statusCode).toBe(201);
    await waitAMinute();
    await settleLatePayments(made, sandboxProvider(made.db), running);
    const [sold] = await counts();
    if (someoneElseWasFaster) {
      expect(await read(sid, booking)).toMatchObject({ status: 'expired', payment: 'refunded', tickets: [] });
      expect(sold).toEqual({ held: 1, sold: 0 });
      expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded' });
    } else {
      expect(await read(sid, booking)).toMatchObject({ status: 'confirmed', payment: 'paid', tickets: [{}] });
      expect(sold).toEqual({ held: 0, sold: 1 });
    }
    expect(await broken()).toEqual([]);
  }
});

test('a buyer who pays too late gets an explanation and a refund', async () => {
  const { book, pay } = await shop(made, { capacities: [1] });
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const paying = pay(sid, booking, 'tok_slow');
  await vi.waitUntil(() => paymentOf(booking.id).catch(() => null), { timeout: 1_000, interval: 5 });
  await endHold(booking.id);
  expect((await book(await buyer())).statusCode).toBe(201);
  const answer = (await paying).json();
  expect(answer).toMatchObject({
    status: 409,
    error: 'hold_expired',
    detail: expect.stringContaining('refunded in full'),
  });
  expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded' });
  expect(await broken()).toEqual([]);
});

test('a hold can be paid until it expires, even after the event has started', async () => {
  const { book, pay, change, read } = await shop(made);
  const [first, second] = [await buyer(), await buyer()];
  const [one, two] = [(await book(first)).json(), (await book(second)).json()];
  await change({ startsAt: new Date(Date.now() - 1) });
  expect((await pay(first, one)).json()).toMatchObject({ status: 'confirmed', payment: 'paid' });
  // The same if only the webhook reports the charge.
  const paying = pay(second, two, 'tok_answer_lost');
  const isTold = async () => {
    await deliver();
    return (await read(second, two)).status === 'confirmed';
  };
  await vi.waitUntil(isTold, { timeout: 2_500, interval: 20 });
  expect((await paying).json()).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect(await broken()).toEqual([]);
});

test('a charge that is settled after its hold expired and the event started is refunded', async () => {
  const { book, read, change } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  await chargedByADeadTask(booking);
  await endHold(booking.id);
  await change({ startsAt: new Date(Date.now() - 1) });
  await waitAMinute();
  await settleLatePayments(made, sandboxProvider(made.db), running);
  expect(await read(sid, booking)).toMatchObject({ status: 'expired', payment: 'refunded', tickets: [] });
  expect(await broken()).toEqual([]);
});

test.each([
  ['the buyer cancels', 'booking_not_payable'],
  ['the organiser cancels the event', 'event_not_on_sale'],
  ['the hold expires and the tickets are sold', 'hold_expired'],
])('a buyer who is charged while %s is told about the refund', async (_what, error) => {
  const { book, pay, cancel, change } = await shop(made, { capacities: [1] });
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const paying = pay(sid, booking, 'tok_slow');
  await vi.waitUntil(() => paymentOf(booking.id).catch(() => null), { timeout: 1_000, interval: 5 });
  if (error === 'booking_not_payable') await cancel(sid, booking);
  if (error === 'event_not_on_sale') await change({ status: 'cancelled' });
  if (error === 'hold_expired') {
    await endHold(booking.id);
    expect((await book(await buyer())).statusCode).toBe(201);
  }
  expect((await paying).json()).toMatchObject({
    status: 409,
    error,
    detail: expect.stringContaining('refunded in full'),
  });
  expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded' });
  expect((await pay(sid, booking)).json()).toMatchObject({ error, detail: expect.not.stringContaining('refunded') });
});

test('a payment that the provider has already refunded is settled, and the hold stays payable', async () => {
  const { book, pay, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const { id } = await chargedByADeadTask(booking);
  await refundSandboxCharge(made.db, id);
  await waitAMinute();
  await settleLatePayments(made, sandboxProvider(made.db), running);
  expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded' });
  expect(await read(sid, booking)).toMatchObject({ status: 'held', payment: 'refunded' });
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect(await broken()).toEqual([]);
});

test('cancelling while the charge is in flight refunds it', async () => {
  const { book, pay, cancel, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const paying = pay(sid, booking, 'tok_slow');
  await vi.waitUntil(() => paymentOf(booking.id).catch(() => null), { timeout: 1_000, interval: 5 });
  expect((await cancel(sid, booking)).statusCode).toBe(200);
  expect((await paying).json()).toMatchObject({ status: 409, error: 'booking_not_payable' });
  expect(await read(sid, booking)).toMatchObject({ status: 'cancelled', payment: 'refunded' });
  expect(await broken()).toEqual([]);
});

test('cancelling a paid booking refunds all of it, once', async () => {
  const { book, pay, cancel, lineOf } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid, [lineOf(3)])).json();
  await pay(sid, booking);
  await Promise.all([cancel(sid, booking), cancel(sid, booking)]);
  const { id } = await paymentOf(booking.id);
  const entries = await made.db.execute(
    sql`select kind, amount_minor::int from ledger_entries where payment_id = ${id} order by id`,
  );
  expect(entries.rows).toEqual([
    { kind: 'charge', amount_minor: 3000 },
    { kind: 'refund', amount_minor: 3000 },
  ]);
  expect(await broken()).toEqual([]);
});

test('a failed refund is retried later', async () => {
  const { book, pay, cancel, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  await pay(sid, booking);
  await cancel(sid, booking);
  // As if the provider had been down when the booking was cancelled.
  const { id } = await paymentOf(booking.id);
  await made.db.execute(sql`delete from ledger_entries where payment_id = ${id} and kind = 'refund'`);
  await made.db.update(payments).set({ status: 'refund_due' }).where(eq(payments.id, id));
  await made.db.update(sandboxCharges).set({ status: 'accepted' }).where(eq(sandboxCharges.reference, id));
  await waitAMinute();
  await settleLatePayments(made, sandboxProvider(made.db), running);
  expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded' });
  expect(await read(sid, booking)).toMatchObject({ payment: 'refunded' });
  expect(await broken()).toEqual([]);
});

test('a charge that never reached the provider leaves the hold payable', async () => {
  const { book, pay } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const { id } = await chargedByADeadTask(booking);
  await made.db.delete(sandboxCharges).where(eq(sandboxCharges.reference, id));
  await waitAMinute();
  await settleLatePayments(made, sandboxProvider(made.db), running);
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed' });
  expect(await broken()).toEqual([]);
});

test('two tasks that look for late payments take different ones', async () => {
  const { book } = await shop(made);
  await chargedByADeadTask((await book(await buyer())).json());
  await waitAMinute();
  const provider = sandboxProvider(made.db);
  const taken = await Promise.all([
    settleLatePayments(made, provider, running),
    settleLatePayments(made, provider, running),
  ]);
  expect(taken.toSorted()).toEqual([0, 1]);
});

test('a webhook with an invalid signature changes nothing', async () => {
  const { book, pay, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  await pay(sid, booking, 'tok_declined');
  const { id: reference } = await paymentOf(booking.id);
  const body = webhookBody({ id: randomUUID(), type: 'charge.accepted', reference, createdAt: new Date() });
  const forged = signWebhook(body, Buffer.alloc(32), new Date());
  const old = signWebhook(body, webhookKey(), new Date(Date.now() - 6 * 60_000));
  expect(await post(body, forged)).toBe(403);
  expect(await post(body, old)).toBe(403);
  expect(await post(body, '')).toBe(403);
  expect(await post(`${body} `, signWebhook(body, webhookKey(), new Date()))).toBe(403);
  expect(await read(sid, booking)).toMatchObject({ status: 'held' });
});

test.each(['', 'null', '{', '[]', '{"id":1}'])(
  'a signed body that is not a provider event is refused: %j',
  async (body) => {
    expect(await post(body, signWebhook(body, webhookKey(), new Date()))).toBe(400);
  },
);

test('an event of an unknown payment is acknowledged, so that the provider does not retry it forever', async () => {
  const body = webhookBody({
    id: randomUUID(),
    type: 'charge.accepted',
    reference: randomUUID(),
    createdAt: new Date(),
  });
  expect(await post(body, signWebhook(body, webhookKey(), new Date()))).toBe(204);
});

test('an event that could not be delivered is retried later', async () => {
  await made.db.update(sandboxEvents).set({ deliveredAt: sql`now()` });
  const { book, pay } = await shop(made);
  const sid = await buyer();
  await pay(sid, (await book(sid)).json());
  const told: string[] = [];
  const away = async (body: string) => {
    told.push(body);
    return 503;
  };
  expect(await deliverSandboxEvents({ db: made.db, key: webhookKey(), post: away })).toBe(0);
  expect(await deliver()).toBe(0);
  await made.db.update(sandboxEvents).set({ nextAttemptAt: sql`now()` }).where(sql`delivered_at is null`);
  expect(await deliver()).toBe(1);
  expect(told).toHaveLength(1);
});

/** A shop with free tickets, and a held booking of two. */
async function freeShop() {
  const free = await shop(made);
  await made.db.update(ticketTypes).set({ priceMinor: 0 }).where(eq(ticketTypes.eventId, free.event.id));
  const sid = await buyer();
  const booking = (await free.book(sid, [free.lineOf(2)])).json();
  const confirm = (body: Record<string, unknown> = {}) =>
    free.call('POST', `/v1/bookings/${booking.id}/payment`, sid, body);
  return { ...free, sid, booking, confirm };
}
const chargesOf = async (bookingId: string) => {
  const { id } = await paymentOf(bookingId);
  return made.db.select().from(sandboxCharges).where(eq(sandboxCharges.reference, id));
};

test('a free booking is confirmed without a card and without the provider', async () => {
  const { booking, confirm, counts } = await freeShop();
  const answers = await Promise.all([confirm(), confirm({ paymentToken: 'tok_declined' })]);
  expect(booking.totalMinor).toBe(0);
  for (const answer of [...answers, await confirm()]) {
    // Of two concurrent requests the second may find the first one running.
    if (answer.json().error === 'payment_in_progress') continue;
    expect(answer.json()).toMatchObject({ status: 'confirmed', payment: 'paid', totalMinor: 0 });
    expect(answer.json().tickets).toHaveLength(2);
  }
  expect(await counts()).toEqual([{ held: 0, sold: 2 }]);
  expect(await chargesOf(booking.id)).toEqual([]);
  expect(await broken()).toEqual([]);
});

test('cancelling a free booking needs no provider, and returns its inventory once', async () => {
  const { booking, confirm, cancel, counts, sid } = await freeShop();
  await confirm();
  expect((await cancel(sid, booking)).json()).toMatchObject({ status: 'cancelled', payment: 'refunded' });
  expect(await counts()).toEqual([{ held: 0, sold: 0 }]);
  expect(await paymentOf(booking.id)).toMatchObject({ status: 'refunded', amountMinor: 0 });
  expect(await chargesOf(booking.id)).toEqual([]);
  expect(await broken()).toEqual([]);
});

test('the late-payments job confirms a free booking whose task crashed', async () => {
  const { booking, read, sid } = await freeShop();
  const { rows } = await made.db.execute<{ user_id: string }>(
    sql`select user_id from bookings where id = ${booking.id}`,
  );
  await beginPayment(made.db, booking.id, rows[0]?.user_id ?? '');
  await waitAMinute();
  await settleLatePayments(made, sandboxProvider(made.db), running);
  expect(await read(sid, booking)).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect(await chargesOf(booking.id)).toEqual([]);
  expect(await broken()).toEqual([]);
});

test('a booking that costs money is not confirmed without a payment token, and stays payable', async () => {
  const { book, call, pay } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  expect((await call('POST', `/v1/bookings/${booking.id}/payment`, sid, {})).json()).toMatchObject({
    ...{ status: 400, error: 'validation_failed', errors: [{ path: '/paymentToken' }] },
  });
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed' });
});
