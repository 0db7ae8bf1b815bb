import { expect, test } from 'vitest';
import { TicketingError } from '../errors.ts';
import { type BookingState, placesToReturn, statusAt, whyNotPayable } from './booking-status.ts';

const now = new Date('2026-11-01T12:00:00Z');
const later = new Date(now.getTime() + 1);
const held: BookingState & { checkedIn: boolean } = {
  status: 'held',
  holdExpiresAt: later,
  eventStatus: 'on_sale',
  eventStartsAt: later,
  now,
  checkedIn: false,
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

test('a booking that cannot be paid says why; one that is paid does not complain', () => {
  expect(whyNotPayable(confirmed)).toBeNull();
  expect(whyNotPayable({ ...held, holdExpiresAt: now })).toEqual({ kind: 'hold-expired' });
  expect(whyNotPayable({ ...held, status: 'expired' })).toEqual({ kind: 'hold-expired' });
  expect(whyNotPayable({ ...held, status: 'cancelled' })).toEqual({ kind: 'booking-not-payable', status: 'cancelled' });
  expect(whyNotPayable({ ...held, eventStatus: 'cancelled' })).toEqual({ kind: 'event-not-on-sale' });
  // Nothing about the booking itself: somebody else is paying it.
  expect(whyNotPayable(held)).toEqual({ kind: 'payment-in-progress' });
});
