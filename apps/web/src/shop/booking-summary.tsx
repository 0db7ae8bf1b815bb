import type { Booking, Event } from '@minitickets/contract';
import { Link } from '@tanstack/react-router';
import { money } from '../words/money.ts';
import { EventWhen } from './event-when.tsx';

/** The contents of a booking. The event may still be loading: quantities and prices come from the booking itself. */
export function BookingSummary({ booking, event }: { booking: Booking; event: Event | undefined }) {
  return (
    <section aria-labelledby="summary" className="space-y-3 rounded-card bg-surface p-5 inset-ring inset-ring-line">
      <h2 id="summary" className="text-xl font-bold">
        {event ? (
          <Link to="/events/$slug" params={{ slug: event.slug }} className="hover:underline">
            {event.name}
          </Link>
        ) : (
          'Your tickets'
        )}
      </h2>
      {event && (
        <p className="text-muted">
          {event.venue}
          <span className="block">
            <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
          </span>
        </p>
      )}
      <ul className="space-y-1 border-t border-line pt-3">
        {booking.lines.map((line) => (
          <li key={line.ticketTypeId} className="flex justify-between gap-4">
            <span>
              {line.quantity} × {typeName(event, line.ticketTypeId)}
            </span>
            <span className="whitespace-nowrap tabular-nums">
              {money(line.quantity * line.unitPriceMinor, booking.currency)}
            </span>
          </li>
        ))}
      </ul>
      <p className="flex justify-between border-t border-line pt-3 text-lg font-bold">
        <span>Total</span>
        <span className="whitespace-nowrap tabular-nums">{money(booking.totalMinor, booking.currency)}</span>
      </p>
    </section>
  );
}

/** Returns the name of a ticket type, or "ticket" until its event is loaded. */
export const typeName = (event: Event | undefined, ticketTypeId: string): string =>
  event?.ticketTypes.find(({ id }) => id === ticketTypeId)?.name ?? 'ticket';
