import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { eventsQuery } from '../api/queries.ts';
import { announce } from '../interface/announcer.tsx';
import { EmptyList } from '../interface/empty-list.tsx';
import { Icon } from '../interface/icon.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Page } from '../interface/page.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { EventCard } from '../shop/event-card.tsx';
import { Welcome } from '../shop/welcome.tsx';

const route = getRouteApi('/');
/** Debounce: the search runs after this pause in typing. */
const typingPauseMs = 250;

export function EventsPage() {
  const { search = '' } = route.useSearch();
  const events = useInfiniteQuery(eventsQuery(search));

  return (
    <Page title="What’s on" lead="Choose an event, hold your tickets, and pay without a rush.">
      <Welcome />
      <SearchField search={search} />
      <Loaded query={events} waiting={<CardSkeletons />}>
        {(items) => (
          <>
            <FoundCount count={items.length} search={search} />
            {items.length === 0 ? (
              <NothingFound search={search} />
            ) : (
              <>
                <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
                  {items.map((event) => (
                    <li key={event.id}>
                      <EventCard
                        event={event}
                        onOpen={() => {
                          events.refetch().catch(() => undefined);
                        }}
                      />
                    </li>
                  ))}
                </ul>
                <div className="text-center empty:hidden">
                  <ShowMore list={events}>Show more events</ShowMore>
                </div>
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The URL holds the search, so that a reload, Back and a shared link show the same list. */
function SearchField({ search }: { search: string }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(search);
  const [shown, setShown] = useState(search);
  if (shown !== search) {
    // The URL changed: by Back, or by the link to all events.
    setShown(search);
    if (typed.trim() !== search) setTyped(search);
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === search) return;
    const timer = setTimeout(() => {
      navigate({ search: wanted === '' ? {} : { search: wanted }, replace: true, resetScroll: false }).catch(
        () => undefined,
      );
    }, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, search, navigate]);

  return (
    <search>
      <label className="relative block max-w-xl">
        <span className="sr-only">Search events by name or venue</span>
        <span className="pointer-events-none absolute inset-y-0 left-3 grid place-items-center text-muted">
          <Icon name="search" />
        </span>
        <input
          type="search"
          value={typed}
          maxLength={100}
          autoComplete="off"
          placeholder="Search by name or venue"
          onChange={(change) => setTyped(change.currentTarget.value)}
          className="h-12 w-full rounded-full bg-surface pl-11 pr-4 inset-ring inset-ring-edge placeholder:text-muted"
        />
      </label>
    </search>
  );
}

function NothingFound({ search }: { search: string }) {
  return (
    <EmptyList title={search === '' ? 'No events yet' : `Nothing found for “${search}”`}>
      <p className="text-muted">
        {search === ''
          ? 'Check back soon.'
          : 'Every word must appear in the name or venue of an event. Try fewer words.'}
      </p>
    </EmptyList>
  );
}

function CardSkeletons() {
  return (
    <div aria-busy="true" className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
      <p className="sr-only">Loading events</p>
      {['first', 'second', 'third'].map((card) => (
        <Skeleton key={card} className="h-80" />
      ))}
    </div>
  );
}

/** Announces the result of a search to screen readers. */
function FoundCount({ count, search }: { count: number; search: string }) {
  useEffect(() => {
    if (search !== '') announce(foundSentence(count, search));
  }, [search, count]);
  return null;
}

const foundSentence = (count: number, search: string) =>
  `${count === 0 ? 'No events' : count === 1 ? '1 event' : `${count} events`} found for ${search}.`;
