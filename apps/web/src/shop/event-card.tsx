import type { Event } from '@minitickets/contract';
import { Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { cheapest } from '../words/availability.ts';
import { eventTime } from '../words/dates.ts';
import { price } from '../words/money.ts';
import { AvailabilityNote } from './availability-note.tsx';
import { EventArt } from './event-art.tsx';
import { EventWhen } from './event-when.tsx';

const stub = { '--stub': '4rem' } as CSSProperties;

/** One event of the list, shaped like a ticket. The whole card links to the event's page. */
export function EventCard({ event, onOpen }: { event: Event; onOpen: () => void }) {
  const { day, month } = eventTime(event.startsAt, event.timeZone);
  const from = cheapest(event.ticketTypes);
  return (
    <article className="tear-card relative h-full">
      <div className="tear-across flex h-full flex-col overflow-hidden" style={stub}>
        <div className="relative">
          <EventArt slug={event.slug} className="h-36 w-full" />
          <p
            aria-hidden="true"
            className="absolute left-4 top-4 min-w-14 rounded-control bg-surface px-2 py-1.5 text-center leading-none text-ink"
          >
            <span className="block text-2xl font-bold">{day}</span>
            <span className="text-sm font-semibold text-muted">{month}</span>
          </p>
        </div>
        <div className="grow space-y-2 p-4">
          <h2 className="text-xl font-bold">
            <Link to="/events/$slug" params={{ slug: event.slug }} className="after:absolute after:inset-0">
              {event.name}
            </Link>
          </h2>
          <p className="text-muted">{event.venue}</p>
          <p>
            <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
          </p>
        </div>
        <div className="mx-4 flex h-16 items-center justify-between gap-3 border-t-2 border-dashed border-line">
          <AvailabilityNote event={event} onOpen={onOpen} />
          {from && (
            <p className="whitespace-nowrap text-right">
              {from.priceMinor > 0 && event.ticketTypes.length > 1 && <span className="text-sm text-muted">from </span>}
              <span className="font-bold">{price(from.priceMinor, from.currency)}</span>
            </p>
          )}
        </div>
      </div>
    </article>
  );
}
