import type { Booking } from '@minitickets/contract';
import type { PricedLine } from './prices.ts';

/** What never changes of a booking: all that its first answer was made of. Lines are in the organiser's order of types. */
export type HeldBooking = {
  id: string;
  eventId: string;
  lines: PricedLine[];
  totalMinor: number;
  currency: string;
  /** ISO 8601, as `Date.toISOString` writes it. */
  createdAt: string;
  holdExpiresAt: string;
};

/** The answer to a booking that was held. The same bytes from the same booking, however much it has changed since. */
export function heldAnswer({ id, eventId, lines, totalMinor, currency, createdAt, holdExpiresAt }: HeldBooking) {
  const booking: Booking = {
    id,
    eventId,
    status: 'held',
    payment: 'unpaid',
    lines,
    totalMinor,
    currency,
    holdExpiresAt,
    createdAt,
    tickets: [],
  };
  return JSON.stringify(booking);
}
