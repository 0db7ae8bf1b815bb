import { expect, test } from 'vitest';
import { TicketingError } from '../errors.ts';
import { type BookingState, mayBeginPayment, placesToReturn, statusAt } from './booking-status.ts';

const now = new Date('2026-11-01T12:00:00Z');
const later = new Date(now.getTime() + 1);
const held: BookingState & { checkedIn: boolean; paymentPending: boolean } = {
  status: 'held',
  holdExpiresAt: later,
  eventStatus: 'on_sale',
  eventStartsAt: later,
  now,
  checkedIn: false,
  paymentPending: false,
};
const confirmed = { ...held, status: 'confirmed' as const };

function failureOf(act: () => unknown) {
  try {
    return act();
  } catch (error) {
    return error instanceof TicketingError ? error.failure.kind : error;
  }
}

test('a hold has ended at its end, not after it', () => {
  expect(statusAt({ ...held, holdExpiresAt: later })).toBe('held');
  expect(statusAt({ ...held, holdExpiresAt: now })).toBe('expired');
});

test('only holds end: a confirmed or cancelled booking stays what it is', () => {
  expect(statusAt({ ...confirmed, holdExpiresAt: now })).toBe('confirmed');
  expect(statusAt({ ...held, status: 'cancelled', holdExpiresAt: now })).toBe('cancelled');
});

test('places come back from where they were, and only once', () => {
  expect(placesToReturn(held)).toBe('held');
  expect(placesToReturn(confirmed)).toBe('sold');
  expect(placesToReturn({ ...held, status: 'cancelled' })).toBeNull();
});

test('what has ended, has admitted somebody or has begun cannot be cancelled', () => {
  expect(failureOf(() => placesToReturn({ ...held, holdExpiresAt: now }))).toBe('booking-not-cancellable');
  expect(failureOf(() => placesToReturn({ ...confirmed, checkedIn: true }))).toBe('booking-not-cancellable');
  expect(failureOf(() => placesToReturn({ ...confirmed, eventStartsAt: now }))).toBe('booking-not-cancellable');
});

test('a booking of a cancelled event can be cancelled at any time', () => {
  expect(placesToReturn({ ...confirmed, eventStartsAt: now, eventStatus: 'cancelled' })).toBe('sold');
});

test('a payment begins for a hold that runs, once at a time', () => {
  expect(mayBeginPayment(held)).toBe(true);
  expect(mayBeginPayment(confirmed)).toBe(false);
  expect(failureOf(() => mayBeginPayment({ ...held, paymentPending: true }))).toBe('payment-in-progress');
  expect(failureOf(() => mayBeginPayment({ ...held, holdExpiresAt: now }))).toBe('hold-expired');
  expect(failureOf(() => mayBeginPayment({ ...held, status: 'expired' }))).toBe('hold-expired');
  expect(failureOf(() => mayBeginPayment({ ...held, status: 'cancelled' }))).toBe('booking-not-payable');
  expect(failureOf(() => mayBeginPayment({ ...held, eventStatus: 'cancelled' }))).toBe('event-not-on-sale');
});
