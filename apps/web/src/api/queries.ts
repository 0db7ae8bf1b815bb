import type { Booking } from '@minitickets/contract';
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { readBooking, readBookings, readEvent, readEvents, readSession } from './calls.ts';
import type { ApiProblem } from './client.ts';
import { pagesOf } from './pages.ts';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiProblem;
  }
}

const maxRetries = 2;
/** How often a visible page refetches the availability and its booking. */
const pollMs = 5000;
/** How often a page refetches a booking whose payment is in progress. */
const paymentPollMs = 1000;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => readSession(signal),
  staleTime: 60_000,
});

export const eventsQuery = (search: string) =>
  pagesOf({
    queryKey: ['events', search],
    read: (cursor, signal) => readEvents(search, cursor, signal),
    maxPages: 20,
  });

/** @param event an id or a slug */
export const eventQuery = (event: string) =>
  queryOptions({ queryKey: ['event', event], queryFn: ({ signal }) => readEvent(event, signal) });

/** The same data for the event page, which polls while it is visible. */
export const liveEventQuery = (event: string) =>
  queryOptions({ ...eventQuery(event), refetchInterval: ({ state }) => pollIntervalMs(state.error) });

export const bookingsQuery = pagesOf({ queryKey: ['bookings'], read: readBookings, maxPages: 20 });

export const bookingQuery = (id: string) =>
  queryOptions({
    queryKey: ['booking', id],
    queryFn: ({ signal }) => readBooking(id, signal),
    refetchInterval: ({ state }) => {
      const booking: Booking | undefined = state.data;
      if (booking?.payment === 'pending') return pollIntervalMs(state.error, paymentPollMs);
      return booking?.status === 'held' ? pollIntervalMs(state.error) : false;
    },
  });

/** Returns the interval to the next poll, which respects the Retry-After of the last problem. */
function pollIntervalMs(problem: ApiProblem | null, everyMs = pollMs): number {
  const waitMs = problem?.retryAt === undefined ? 0 : problem.retryAt - Date.now();
  return Math.max(everyMs, waitMs);
}

/** Creates the pages' cache of API responses. */
export function createQueryClient(): QueryClient {
  // An `unauthenticated` response to any call means that the session ended.
  const onError = (problem: ApiProblem) => {
    if (problem.code === 'unauthenticated') client.setQueryData(sessionQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // Send even when offline, so that a page reports the failure instead of waiting silently.
        networkMode: 'always',
        staleTime: 2000,
        refetchOnWindowFocus: ({ state }) => (state.error?.retryAt ?? 0) <= Date.now(),
        retry: (failures, problem) => failures < maxRetries && problem.status === 0,
        retryDelay: (failures) => 400 * 3 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}
