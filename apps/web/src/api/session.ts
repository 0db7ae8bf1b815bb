import type { User } from '@minitickets/contract';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { sessionQuery } from './queries.ts';
import { sessionHint } from './session-hint.ts';

/** Who is logged in: undefined while that is not known, null when nobody is. */
export function useUser(): User | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Takes over who is logged in now, here and in the other tabs. What the one before could read is forgotten. */
export function changeUser(client: QueryClient, user: User | null): void {
  forgetPrivate(client);
  client.setQueryData(sessionQuery.queryKey, user);
  sessionHint.set(user !== null);
}

/** Follows log-ins and log-outs of the other tabs. Returns what ends it. */
export function followOtherTabs(client: QueryClient): () => void {
  return sessionHint.onChangeElsewhere(() => {
    forgetPrivate(client);
    client.invalidateQueries({ queryKey: sessionQuery.queryKey }).catch(() => undefined);
  });
}

/** The first words of what only the one who is logged in may see. */
const privateKeys = ['bookings', 'booking', 'api-keys', 'operations', 'organise'];

function forgetPrivate(client: QueryClient): void {
  for (const key of privateKeys) client.removeQueries({ queryKey: [key] });
}
