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

const maxQuickRetries = 2;
/** How often a page on view asks what is still available, and whether its booking changed elsewhere. */
const pollMs = 5000;
/** How often a page asks for the outcome of a payment that is under way. */
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
    mostPages: 20,
  });

/** @param event an id or a slug */
export const eventQuery = (event: string) =>
  queryOptions({ queryKey: ['event', event], queryFn: ({ signal }) => readEvent(event, signal) });

/** The event page's view of the same data: it keeps asking while somebody looks. */
export const liveEventQuery = (event: string) =>
  queryOptions({ ...eventQuery(event), refetchInterval: ({ state }) => pollPause(state.error) });

export const bookingsQuery = pagesOf({ queryKey: ['bookings'], read: readBookings, mostPages: 20 });

export const bookingQuery = (id: string) =>
  queryOptions({
    queryKey: ['booking', id],
    queryFn: ({ signal }) => readBooking(id, signal),
    refetchInterval: ({ state }) => {
      const booking: Booking | undefined = state.data;
      if (booking?.payment === 'pending') return pollPause(state.error, paymentPollMs);
      return booking?.status === 'held' ? pollPause(state.error) : false;
    },
  });

/** Polling never knocks before the time that a refusal named. */
function pollPause(problem: ApiProblem | null, everyMs = pollMs): number {
  const waitMs = problem?.retryAt === undefined ? 0 : problem.retryAt - Date.now();
  return Math.max(everyMs, waitMs);
}

/** The pages' one cache of what the API said. */
export function createQueryClient(): QueryClient {
  // Any answer "log in first" means that the session ended, wherever it came up.
  const onError = (problem: ApiProblem) => {
    if (problem.code === 'unauthenticated') client.setQueryData(sessionQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // Also without a network: a page says so, instead of waiting silently.
        networkMode: 'always',
        staleTime: 2000,
        refetchOnWindowFocus: ({ state }) => (state.error?.retryAt ?? 0) <= Date.now(),
        retry: (failures, problem) => failures < maxQuickRetries && problem.status === 0,
        retryDelay: (failures) => 400 * 3 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}
