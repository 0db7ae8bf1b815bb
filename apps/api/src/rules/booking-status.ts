import type { BookingStatus, EventStatus } from '@minitickets/contract';
import { type Failure, fail } from '../errors.ts';

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

/** Why a payment could not begin; null for a booking that is paid already, which answers as it is and charges nothing. */
export function whyNotPayable(state: BookingState): Failure | null {
  const status = statusAt(state);
  if (status === 'confirmed') return null;
  if (status === 'expired') return { kind: 'hold-expired' };
  if (status === 'cancelled') return { kind: 'booking-not-payable', status };
  if (state.eventStatus !== 'on_sale') return { kind: 'event-not-on-sale' };
  return { kind: 'payment-in-progress' };
}
