import { type Booking, bookingPayment, bookingStatus, type eventStatus } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { bookingBadge } from './booking-badge.ts';

const badge = (status: Booking['status'], payment: Booking['payment'], event?: (typeof eventStatus.options)[number]) =>
  bookingBadge({ payment } as Booking, status, event).words;

test('a badge reads “Cancelled” for a cancelled booking only, whatever became of its payment', () => {
  for (const status of bookingStatus.options)
    for (const payment of bookingPayment.options)
      expect(badge(status, payment, 'on_sale') === 'Cancelled', `${status}, ${payment}`).toBe(status === 'cancelled');
});

test('a booking that its cancelled event ended says so, before its own status does; one that had expired does not', () => {
  for (const status of ['held', 'confirmed', 'cancelled'] as const)
    expect(badge(status, 'unpaid', 'cancelled')).toBe('Event cancelled');
  expect(badge('expired', 'unpaid', 'cancelled')).toBe('Not paid in time');
});

test('while the event is loading, a badge tells what the booking says', () => {
  expect(badge('confirmed', 'paid')).toBe('Paid');
  expect(badge('held', 'unpaid')).toBe('Held');
});

test('no badge asks for a payment that is in progress, and none says “not paid” of a payment that was made', () => {
  expect(badge('held', 'pending')).toBe('Payment in progress');
  expect(badge('expired', 'pending')).toBe('Payment in progress');
  expect(badge('expired', 'refunded')).toBe('Paid too late, refunded');
  expect(badge('expired', 'paid')).toBe('Paid too late, refunded');
});
