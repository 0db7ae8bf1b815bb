import type { User } from '@minitickets/contract';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { sessionQuery } from './queries.ts';
import { sessionHint } from './session-hint.ts';

/** Returns the logged-in user: undefined while unknown, null without one. */
export function useUser(): User | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Sets the logged-in user in this and other tabs, and drops the previous user's cached data. */
export function changeUser(client: QueryClient, user: User | null): void {
  dropPrivateData(client);
  client.setQueryData(sessionQuery.queryKey, user);
  sessionHint.set(user !== null);
}

/** Follows log-ins and log-outs of other tabs. Returns a function that unsubscribes. */
export function followOtherTabs(client: QueryClient): () => void {
  return sessionHint.onChangeElsewhere(() => {
    dropPrivateData(client);
    client.invalidateQueries({ queryKey: sessionQuery.queryKey }).catch(() => undefined);
  });
}

/** Query keys of data that only the logged-in user may see. */
const privateKeys = ['bookings', 'booking', 'api-keys', 'operations', 'organise'];

function dropPrivateData(client: QueryClient): void {
  for (const key of privateKeys) client.removeQueries({ queryKey: [key] });
}
