import type { Booking, Problem } from '@minitickets/contract';
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

/** What a request for places is told, as bytes: the same ones each time it is told under the same key. */
export type HoldAnswer = { status: number; body: string; bookingId?: string; retryAfter?: number | undefined };

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
  return { status: 201, body: JSON.stringify(booking), bookingId: id } satisfies HoldAnswer;
}

/** The answer to a refused request, from the body that was remembered of it. */
export function refusedAnswer(body: string): HoldAnswer {
  const { status, retryAfter } = JSON.parse(body) as Problem;
  return { status, body, retryAfter };
}
