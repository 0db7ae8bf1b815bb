import { type Booking, bookingPayment } from '@minitickets/contract';
import { describe, expect, test } from 'vitest';
import { bookingOutcome } from './booking-outcome.ts';

const booking = (payment: Booking['payment']): Booking => ({
  id: 'booking',
  eventId: 'event',
  status: 'expired',
  payment,
  lines: [],
  totalMinor: 3900,
  currency: 'EUR',
  holdExpiresAt: '2026-06-01T10:10:00Z',
  createdAt: '2026-06-01T10:00:00Z',
  tickets: [],
});

describe.each(['cancelled', 'expired'] as const)('%s', (status) => {
  test.each(bookingPayment.options)('the text says where the money is when it is %s', (payment) => {
    const { title, text } = bookingOutcome(booking(payment), status);
    expect(title).not.toBe('');
    expect(text).toMatch(payment === 'unpaid' ? /Nothing was charged/ : /refund/);
    if (payment !== 'unpaid') expect(text).not.toContain('Nothing was charged');
  });
});

test('a pending payment of an expired hold promises neither tickets nor a refund, only the result', () => {
  expect(bookingOutcome(booking('pending'), 'expired').text).toMatch(/still available.*otherwise/);
});

test('a hold that ends on this page says “nothing was charged” only after the server has said so', () => {
  const stale = { ...booking('unpaid'), status: 'held' as const };
  expect(bookingOutcome(stale, 'expired').text).not.toContain('Nothing was charged');
  expect(bookingOutcome(booking('unpaid'), 'expired').text).toContain('Nothing was charged');
});

test.each([
  ['refunded', 'cancelled', /no longer valid.*was refunded/],
  ['paid', 'confirmed', /no longer valid.*is being refunded/],
  ['unpaid', 'cancelled', /no longer valid. Nothing was charged/],
] as const)('a %s booking of a cancelled event says so, and where the money is', (payment, status, expected) => {
  const { title, text } = bookingOutcome({ ...booking(payment), status }, 'cancelled', 'cancelled');
  expect(title).toBe('This event was cancelled');
  expect(text).toMatch(expected);
});
