import type { EventInventory } from '@minitickets/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import type { CSSProperties } from 'react';
import { inventoryQuery } from '../api/operator-calls.ts';
import { Card } from '../interface/card.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { eventTime } from '../words/dates.ts';

/** Shows the sold, held and available tickets of each event, and which inventory gates are closed. */
export function Inventory() {
  const inventory = useInfiniteQuery(inventoryQuery);
  return (
    <Card title="Events" aside={<Legend />}>
      <Loaded query={inventory} waiting={<Skeleton className="h-72" />}>
        {(events) =>
          events.length === 0 ? (
            <p className="text-muted">No upcoming events, and none started within the last day.</p>
          ) : (
            <>
              <ul className="space-y-4">
                {events.map((event) => (
                  <EventInventoryRow key={event.id} event={event} />
                ))}
              </ul>
              <ShowMore list={inventory}>Show later events</ShowMore>
            </>
          )
        }
      </Loaded>
      <p className="text-sm text-muted">
        An inventory gate closes when PostgreSQL reports “sold out”, and refuses requests before they reach PostgreSQL.
        It opens as soon as tickets are released, and by itself within a second.
      </p>
    </Card>
  );
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-3 text-sm text-muted">
      {parts.map(({ name, look }) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={clsx('size-3 rounded-full inset-ring inset-ring-edge', look)} />
          {name}
        </li>
      ))}
    </ul>
  );
}

const parts = [
  { name: 'sold', look: 'bg-good' },
  { name: 'held', look: 'bg-warn' },
  { name: 'available', look: 'bg-sunken' },
] as const;

const statusWords: Record<EventInventory['status'], string> = {
  draft: 'draft',
  on_sale: 'on sale',
  cancelled: 'cancelled',
};

function EventInventoryRow({ event }: { event: EventInventory }) {
  const { slug, name, status, startsAt, timeZone, ticketTypes } = event;
  return (
    <li className="space-y-2 border-t border-line pt-4 first:border-t-0 first:pt-0">
      <div>
        <h3 className="font-semibold">
          <Link to="/events/$slug" params={{ slug }} className="underline underline-offset-4">
            {name}
          </Link>
        </h3>
        <p className="text-sm text-muted">
          {eventTime(startsAt, timeZone).there}, {statusWords[status]}
        </p>
      </div>
      {ticketTypes.length === 0 ? (
        <p className="text-muted">No ticket types yet.</p>
      ) : (
        <ul className="space-y-2">
          {ticketTypes.map((type) => (
            <TicketTypeRow key={type.id} type={type} />
          ))}
        </ul>
      )}
    </li>
  );
}

function TicketTypeRow({ type }: { type: EventInventory['ticketTypes'][number] }) {
  const { name, capacity, sold, held, free, gateClosedUntil } = type;
  const shares = [
    ['bg-good', sold],
    ['bg-warn', held],
  ] as const;
  return (
    <li>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>
          {name}{' '}
          {gateClosedUntil && (
            <span className="rounded-full bg-bad-soft px-2 py-0.5 text-sm font-semibold text-bad">gate closed</span>
          )}
        </span>
        <span className="text-sm text-muted tabular-nums">
          {sold} sold, {held} held,{' '}
          <strong className={clsx(free > 0 ? 'text-ink' : 'text-bad')}>{free} available</strong> of {capacity}
        </span>
      </p>
      <div aria-hidden="true" className="mt-1 flex h-2 overflow-hidden rounded-full bg-sunken">
        {shares.map(([look, count]) => (
          <span
            key={look}
            className={clsx('basis-(--share)', look)}
            style={{ '--share': `${(100 * count) / Math.max(1, capacity)}%` } as CSSProperties}
          />
        ))}
      </div>
    </li>
  );
}
