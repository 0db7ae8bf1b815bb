import type { Event } from '@minitickets/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ownEventsQuery } from '../api/organiser-calls.ts';
import { buttonClass } from '../interface/button.tsx';
import { EmptyList } from '../interface/empty-list.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Page } from '../interface/page.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { Organisers } from '../organise/organisers.tsx';
import { Sales } from '../organise/sales.tsx';
import { AvailabilityNote } from '../shop/availability-note.tsx';
import { EventWhen } from '../shop/event-when.tsx';

export function OrganisePage() {
  return <Organisers title="Organise">{() => <OwnEvents />}</Organisers>;
}

function OwnEvents() {
  const events = useInfiniteQuery(ownEventsQuery);
  return (
    <Page title="Your events" lead="Taken tickets are paid or currently held.">
      <Link to="/organise/new" className={buttonClass('primary')}>
        New event
      </Link>
      <Loaded query={events} waiting={<Skeleton className="h-64" />}>
        {(items) =>
          items.length === 0 ? (
            <EmptyList title="You have no events yet">
              <p className="text-muted">Create your first event: it takes a minute.</p>
            </EmptyList>
          ) : (
            <ul className="grid gap-4 md:grid-cols-2">
              {items.map((event) => (
                <li key={event.id}>
                  <OwnEvent event={event} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShowMore list={events}>Show more events</ShowMore>
    </Page>
  );
}

function OwnEvent({ event }: { event: Event }) {
  return (
    <article className="flex h-full flex-col gap-4 rounded-card bg-surface p-4 inset-ring inset-ring-line sm:p-5">
      <div className="space-y-1">
        <div className="flex flex-wrap items-start justify-between gap-2">
          <h2 className="text-xl font-bold">{event.name}</h2>
          <AvailabilityNote event={event} />
        </div>
        <p className="text-muted">
          {event.venue}
          <span className="block">
            <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
          </span>
        </p>
      </div>
      <div className="grow">
        <Sales ticketTypes={event.ticketTypes} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Link to="/organise/$event" params={{ event: event.id }} className={buttonClass('quiet')}>
          Edit<span className="sr-only"> {event.name}</span>
        </Link>
        <Link to="/organise/$event/door" params={{ event: event.id }} className={buttonClass('quiet')}>
          Door<span className="sr-only"> of {event.name}</span>
        </Link>
        <Link to="/events/$slug" params={{ slug: event.slug }} className={buttonClass('quiet')}>
          View in shop<span className="sr-only">: {event.name}</span>
        </Link>
      </div>
    </article>
  );
}
