import type { BookingStatus, EventStatus } from '@minitickets/contract';
import { fail } from '../errors.ts';

/** A booking and its event, read under the event's lock; `now` is the database's clock. */
export type BookingState = {
  status: BookingStatus;
  holdExpiresAt: Date;
  eventStatus: EventStatus;
  eventStartsAt: Date;
  now: Date;
};

/** A hold ends exactly at its end, whether or not a job has noticed. */
export function statusAt({ status, holdExpiresAt, now }: Pick<BookingState, 'status' | 'holdExpiresAt' | 'now'>) {
  return status === 'held' && holdExpiresAt <= now ? 'expired' : status;
}

/**
 * Where the places of a cancelled booking come back from; null for one that was cancelled before, which changes nothing.
 * @throws TicketingError booking-not-cancellable
 */
export function placesToReturn(state: BookingState & { checkedIn: boolean }): 'held' | 'sold' | null {
  switch (statusAt(state)) {
    case 'cancelled':
      return null;
    case 'held':
      return 'held';
    case 'expired':
      return fail({ kind: 'booking-not-cancellable', reason: 'Its hold has ended; there is nothing left to cancel.' });
    case 'confirmed':
      if (state.checkedIn) {
        fail({ kind: 'booking-not-cancellable', reason: 'One of its tickets has already admitted somebody.' });
      }
      // Of a cancelled event the money goes back whenever the buyer asks for it.
      if (state.eventStartsAt <= state.now && state.eventStatus !== 'cancelled') {
        fail({ kind: 'booking-not-cancellable', reason: 'The event has started.' });
      }
      return 'sold';
  }
}

/**
 * Whether a payment may begin; false for a booking that is paid already, which answers as it is and charges nothing.
 * @throws TicketingError hold-expired, booking-not-payable, event-not-on-sale, payment-in-progress
 */
export function mayBeginPayment(state: BookingState & { paymentPending: boolean }) {
  const status = statusAt(state);
  if (status === 'confirmed') return false;
  if (state.paymentPending) fail({ kind: 'payment-in-progress' });
  if (status === 'expired') fail({ kind: 'hold-expired' });
  if (status === 'cancelled') fail({ kind: 'booking-not-payable', status });
  if (state.eventStatus !== 'on_sale') fail({ kind: 'event-not-on-sale' });
  return true;
}
