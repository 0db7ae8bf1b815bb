import type { BookingStatus, EventStatus } from '@minitickets/contract';
import { type Failure, fail } from '../errors.ts';

/** A booking and its event, read under the event's lock; `now` is PostgreSQL's clock. */
export type BookingState = {
  status: BookingStatus;
  holdExpiresAt: Date;
  eventStatus: EventStatus;
  eventStartsAt: Date;
  now: Date;
};

/** Returns the effective status: a hold expires exactly at its end, whether or not a background job has processed it. */
export function statusAt({ status, holdExpiresAt, now }: Pick<BookingState, 'status' | 'holdExpiresAt' | 'now'>) {
  return status === 'held' && holdExpiresAt <= now ? 'expired' : status;
}

/**
 * Returns where the inventory of a booking that is being cancelled comes from; null if it was cancelled before, which changes
 * nothing.
 * @throws TicketingError booking-not-cancellable
 */
export function inventoryToReturn(state: BookingState & { checkedIn: boolean }): 'held' | 'sold' | null {
  switch (statusAt(state)) {
    case 'cancelled':
      return null;
    case 'held':
      return 'held';
    case 'expired':
      return fail({ kind: 'booking-not-cancellable', reason: 'Its hold has expired, so there is nothing to cancel.' });
    case 'confirmed':
      // A booking of a cancelled event is refunded at any time, whoever was let in before.
      if (state.eventStatus === 'cancelled') return 'sold';
      if (state.checkedIn) {
        fail({ kind: 'booking-not-cancellable', reason: 'One of its tickets has already been checked in.' });
      }
      if (state.eventStartsAt <= state.now) {
        fail({ kind: 'booking-not-cancellable', reason: 'The event has started.' });
      }
      return 'sold';
  }
}

/**
 * Returns why a payment cannot begin; null for a booking that is already paid, which is returned as it is and not charged
 * again.
 */
export function whyNotPayable(state: BookingState): Failure | null {
  const status = statusAt(state);
  if (status === 'confirmed') return null;
  if (status === 'expired') return { kind: 'hold-expired' };
  if (status === 'cancelled') return { kind: 'booking-not-payable', status };
  if (state.eventStatus !== 'on_sale') return { kind: 'event-not-on-sale' };
  return { kind: 'payment-in-progress' };
}
