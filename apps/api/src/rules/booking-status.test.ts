import { expect, test } from 'vitest';
import { TicketingError } from '../errors.ts';
import { type BookingState, inventoryToReturn, statusAt, whyNotPayable } from './booking-status.ts';

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

test('a hold has expired at its end, not after it', () => {
  expect(statusAt({ ...held, holdExpiresAt: later })).toBe('held');
  expect(statusAt({ ...held, holdExpiresAt: now })).toBe('expired');
});

test('only holds expire: a confirmed or cancelled booking keeps its status', () => {
  expect(statusAt({ ...confirmed, holdExpiresAt: now })).toBe('confirmed');
  expect(statusAt({ ...held, status: 'cancelled', holdExpiresAt: now })).toBe('cancelled');
});

test('a cancellation returns inventory to where it came from, and only once', () => {
  expect(inventoryToReturn(held)).toBe('held');
  expect(inventoryToReturn(confirmed)).toBe('sold');
  expect(inventoryToReturn({ ...held, status: 'cancelled' })).toBeNull();
});

test('a booking that has expired, has a ticket checked in or belongs to a started event cannot be cancelled', () => {
  expect(failureOf(() => inventoryToReturn({ ...held, holdExpiresAt: now }))).toBe('booking-not-cancellable');
  expect(failureOf(() => inventoryToReturn({ ...confirmed, checkedIn: true }))).toBe('booking-not-cancellable');
  expect(failureOf(() => inventoryToReturn({ ...confirmed, eventStartsAt: now }))).toBe('booking-not-cancellable');
});

test('a booking of a cancelled event can be cancelled at any time', () => {
  expect(inventoryToReturn({ ...confirmed, eventStartsAt: now, eventStatus: 'cancelled' })).toBe('sold');
});

test('a booking that cannot be paid says why, and a paid one reports no failure', () => {
  expect(whyNotPayable(confirmed)).toBeNull();
  expect(whyNotPayable({ ...held, holdExpiresAt: now })).toEqual({ kind: 'hold-expired' });
  expect(whyNotPayable({ ...held, status: 'expired' })).toEqual({ kind: 'hold-expired' });
  expect(whyNotPayable({ ...held, status: 'cancelled' })).toEqual({ kind: 'booking-not-payable', status: 'cancelled' });
  expect(whyNotPayable({ ...held, eventStatus: 'cancelled' })).toEqual({ kind: 'event-not-on-sale' });
  // The booking itself is payable, so another request is paying for it.
  expect(whyNotPayable(held)).toEqual({ kind: 'payment-in-progress' });
});
