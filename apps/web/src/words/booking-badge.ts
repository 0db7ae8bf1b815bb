import type { Booking, EventStatus } from '@minitickets/contract';

/** Where a booking stands, as its badge in a list tells it: with tickets, with something to do, or over. */
export type BookingBadge = { words: string; tone: 'valid' | 'waiting' | 'over' };

/**
 * Returns the badge of a booking.
 * @param status its status now: a hold whose time is up is `expired`, even if the last response still said `held`
 * @param eventStatus undefined while the event is loading
 */
export function bookingBadge({ payment }: Booking, status: Booking['status'], eventStatus?: EventStatus): BookingBadge {
  // Shortly after the event was cancelled, its bookings may still read `held` or `confirmed`.
  if (eventStatus === 'cancelled' && status !== 'expired') return { words: 'Event cancelled', tone: 'over' };
  switch (status) {
    case 'confirmed':
      return { words: 'Paid', tone: 'valid' };
    case 'cancelled':
      return { words: 'Cancelled', tone: 'over' };
    case 'held':
      return payment === 'pending'
        ? { words: 'Payment in progress', tone: 'waiting' }
        : { words: 'Held', tone: 'waiting' };
    case 'expired':
      if (payment === 'pending') return { words: 'Payment in progress', tone: 'waiting' };
      return { words: payment === 'unpaid' ? 'Not paid in time' : 'Paid too late, refunded', tone: 'over' };
  }
}
