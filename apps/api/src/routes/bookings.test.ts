import { randomUUID } from 'node:crypto';
import { useStores } from '@minitickets/stack/test-stores';
import { expect, test, vi } from 'vitest';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const stores = useStores();
const made = useApp(stores);
/** The same shop, with holds of one second. */
const brief = useApp(stores, { holdSeconds: 1 });

const buyer = async () => (await person(made)).sid;

test('a new booking is held, with prices, an expiry and a location', async () => {
  const { book, lineOf, event, typeIds, read, counts } = await shop(made, { capacities: [10, 5] });
  const sid = await buyer();
  const response = await book(sid, [lineOf(1, 1), lineOf(2, 0)]);
  expect(response.statusCode).toBe(201);
  const booking = response.json();
  expect(response.headers.location).toBe(`/v1/bookings/${booking.id}`);
  expect(booking).toMatchObject({
    eventId: event.id,
    status: 'held',
    payment: 'unpaid',
    lines: [
      { ticketTypeId: typeIds[0], quantity: 2, unitPriceMinor: 1000 },
      { ticketTypeId: typeIds[1], quantity: 1, unitPriceMinor: 2000 },
    ],
    totalMinor: 4000,
    currency: 'EUR',
    tickets: [],
  });
  expect(Date.parse(booking.holdExpiresAt) - Date.parse(booking.createdAt)).toBe(600_000);
  expect(await read(sid, booking)).toEqual(booking);
  expect(await counts()).toEqual([
    { held: 2, sold: 0 },
    { held: 1, sold: 0 },
  ]);
});

test('a paid booking has one ticket for each seat, and each admits once', async () => {
  const { book, pay, lineOf, read, counts, call, organiser } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid, [lineOf(2)])).json();
  const paid = await pay(sid, booking);
  expect(paid.statusCode).toBe(200);
  expect(paid.json()).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect(paid.json().tickets).toHaveLength(2);
  expect(await read(sid, booking)).toEqual(paid.json());
  expect(await counts()).toEqual([{ held: 0, sold: 2 }]);

  const [ticket] = paid.json().tickets;
  expect((await call('GET', `/v1/tickets/${ticket.id}`, sid)).json()).toMatchObject({
    ...ticket,
    bookingId: booking.id,
  });
  const svg = await call('GET', `/v1/tickets/${ticket.id}.svg`, sid);
  expect(svg.headers['content-type']).toContain('image/svg+xml');
  expect(svg.body).toMatch(/^<svg /);
  // The quiet zone of ISO/IEC 18004: four modules of ten units each around the code.
  const corners = [...svg.body.matchAll(/M(\d+),(\d+)h10/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
  const [, size] = /viewBox="0 0 (\d+) /.exec(svg.body) ?? [];
  expect([Math.min(...corners), Number(size) - 10 - Math.max(...corners)]).toEqual([40, 40]);

  const admitted = await call('POST', '/v1/check-ins', organiser.sid, { code: ticket.code });
  expect(admitted.statusCode).toBe(201);
  expect(admitted.json()).toMatchObject({ ticketId: ticket.id, checkedInBy: organiser.user.id });
  const again = await call('POST', '/v1/check-ins', organiser.sid, { code: ticket.code });
  expect(again.json()).toMatchObject({ status: 409, error: 'already_checked_in' });
});

test('a declined payment keeps the hold, and another token pays it', async () => {
  const { book, pay, read } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  expect((await pay(sid, booking, 'tok_declined')).json()).toMatchObject({ status: 402, error: 'payment_declined' });
  expect(await read(sid, booking)).toEqual(booking);
  expect((await pay(sid, booking)).json()).toMatchObject({ status: 'confirmed' });
});

test('paying a confirmed booking again returns the same response and charges nothing', async () => {
  const { book, pay } = await shop(made);
  const sid = await buyer();
  const booking = (await book(sid)).json();
  const first = await pay(sid, booking);
  const second = await pay(sid, booking);
  expect([second.statusCode, second.body]).toEqual([200, first.body]);
});

test('a cancelled booking returns its inventory once, and a repeated cancellation returns the same response', async () => {
  const { book, cancel, counts, pay } = await shop(made);
  const sid = await buyer();
  const held = (await book(sid)).json();
  const confirmed = (await book(sid)).json();
  await pay(sid, confirmed);
  expect(await counts()).toEqual([{ held: 1, sold: 1 }]);
  for (const booking of [held, confirmed]) {
    const answers = await Promise.all([cancel(sid, booking), cancel(sid, booking)]);
    const later = await cancel(sid, booking);
    expect(later.json()).toMatchObject({ id: booking.id, status: 'cancelled', tickets: [] });
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(Array(2).fill([200, later.body]));
  }
  expect(await counts()).toEqual([{ held: 0, sold: 0 }]);
  expect((await pay(sid, held)).json()).toMatchObject({ status: 409, error: 'booking_not_payable' });
});

test('a hold expires exactly at its end, with or without background jobs, and its tickets are bookable at once', async () => {
  const { book, pay, cancel, read } = await shop(brief, { capacities: [1] });
  const [first, second] = [await buyer(), await buyer()];
  const booking = (await book(first)).json();
  expect((await book(second)).json()).toMatchObject({ status: 409, error: 'sold_out' });
  await vi.waitUntil(async () => (await read(first, booking)).status === 'expired', { timeout: 5_000, interval: 5 });
  expect((await book(second)).statusCode).toBe(201);
  expect((await pay(first, booking)).json()).toMatchObject({ status: 409, error: 'hold_expired' });
  expect((await cancel(first, booking)).json()).toMatchObject({ status: 409, error: 'booking_not_cancellable' });
});

test('the same key and body return the same bytes, and another body is refused', async () => {
  const { book, lineOf, counts } = await shop(made);
  const sid = await buyer();
  const key = randomUUID();
  const first = await book(sid, [lineOf(1)], key);
  const again = await book(sid, [lineOf(1)], key);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect([again.statusCode, again.body, again.headers.location]).toEqual([201, first.body, first.headers.location]);
  expect((await book(sid, [lineOf(2)], key)).json()).toMatchObject({ status: 422, error: 'idempotency_key_reused' });
  expect(await counts()).toEqual([{ held: 1, sold: 0 }]);
});

test('a final refusal is replayed under its key too', async () => {
  const { book, cancel } = await shop(made, { capacities: [1] });
  const [first, second] = [await buyer(), await buyer()];
  const booking = (await book(first)).json();
  const key = randomUUID();
  const refused = await book(second, undefined, key);
  expect(refused.json()).toMatchObject({ status: 409, error: 'sold_out' });
  await cancel(first, booking);
  const again = await book(second, undefined, key);
  expect([again.statusCode, again.body, again.headers['content-type']]).toEqual([
    409,
    refused.body,
    refused.headers['content-type'],
  ]);
});

test('another user’s booking is reported as missing', async () => {
  const { book, pay, cancel, read } = await shop(made);
  const booking = (await book(await buyer())).json();
  const stranger = await buyer();
  expect(await read(stranger, booking)).toMatchObject({ status: 404 });
  expect((await pay(stranger, booking)).statusCode).toBe(404);
  expect((await cancel(stranger, booking)).statusCode).toBe(404);
});

test.each([
  ['a negative quantity', (id: string) => [{ ticketTypeId: id, quantity: -1 }]],
  ['no quantity', (id: string) => [{ ticketTypeId: id, quantity: 0 }]],
  ['a fraction', (id: string) => [{ ticketTypeId: id, quantity: 1.5 }]],
  ['a huge quantity', (id: string) => [{ ticketTypeId: id, quantity: 1e12 }]],
  ['no lines', () => []],
  ['more than ten lines', (id: string) => Array(11).fill({ ticketTypeId: id, quantity: 1 })],
  [
    'a sum above the largest quantity',
    (id: string) => [
      { ticketTypeId: id, quantity: 6 },
      { ticketTypeId: id.toUpperCase(), quantity: 6 },
    ],
  ],
])('%s is refused before any query', async (_name, lines) => {
  const { book, typeIds } = await shop(made, { capacities: [100] });
  const response = await book(await buyer(), lines(typeIds[0] ?? ''));
  expect(response.json()).toMatchObject({ status: 400, error: 'validation_failed' });
});

test('a request under one key is the same request in any case of its ids', async () => {
  const { book, event, typeIds, call } = await shop(made);
  const sid = await buyer();
  const [id = ''] = typeIds;
  const first = await book(sid, [{ ticketTypeId: id, quantity: 1 }], 'any-case');
  const again = await call(
    ...(['POST', '/v1/bookings', sid] as const),
    { eventId: event.id.toUpperCase(), lines: [{ quantity: 1, ticketTypeId: id.toUpperCase() }] },
    { 'idempotency-key': 'any-case' },
  );
  expect([again.statusCode, again.body]).toEqual([201, first.body]);
  const { id: bookingId } = first.json();
  expect((await call('GET', `/v1/bookings/${bookingId.toUpperCase()}`, sid)).json()).toEqual(first.json());
});

test('duplicate ticket types in one booking are summed', async () => {
  const { book, lineOf } = await shop(made);
  expect((await book(await buyer(), [lineOf(1), lineOf(2)])).json().lines).toMatchObject([{ quantity: 3 }]);
});

test('a booking is refused before the sale opens, after it closes and for a draft', async () => {
  const { book, change } = await shop(made);
  const sid = await buyer();
  await change({ salesOpenAt: new Date(Date.now() + 90_000) });
  const early = await book(sid);
  expect(early.json()).toMatchObject({ status: 409, error: 'sales_not_open', retryAfter: expect.any(Number) });
  expect(early.headers['retry-after']).toBe(String(early.json().retryAfter));
  await change({ salesOpenAt: new Date(0), salesCloseAt: new Date(Date.now() - 1) });
  expect((await book(sid)).json()).toMatchObject({ status: 409, error: 'sales_closed' });
  await change({ status: 'draft' });
  expect((await book(sid)).json()).toMatchObject({ status: 409, error: 'event_not_on_sale' });
});

test('the sale ends when the event starts, even if it was to close later', async () => {
  const { book, change } = await shop(made);
  const sid = await buyer();
  await change({ startsAt: new Date(Date.now() - 1) });
  expect((await book(sid)).json()).toMatchObject({ status: 409, error: 'sales_closed' });
});
