import type { Booking } from '@minitickets/contract';
import type { PricedLine } from './prices.ts';

/**
 * The immutable part of a booking, from which its first response was built. Lines are in the organiser's order of ticket
 * types.
 */
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

export type KeyOfUser = { userId: string; key: string };

/** The outcome recorded under a key: the booking that was held, or the refusal as it was sent. */
export type RecordedOutcome = KeyOfUser & {
  fingerprint: string;
  booking: HeldBooking | null;
  refusal: string | null;
};

/** Returns the response body of a new hold: the same bytes for the same booking, whatever has changed since. */
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
