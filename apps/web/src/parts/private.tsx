import type { User } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { Loaded } from './loaded.tsx';
import { PageSkeleton } from './skeleton.tsx';

/** What only somebody who is logged in sees. Everybody else logs in first and comes back. */
export function Private({ children }: { children: (user: User) => ReactNode }) {
  const session = useQuery(sessionQuery);
  const here = useRouterState({ select: (state) => state.location.href });
  return (
    <Loaded query={session} waiting={<PageSkeleton />}>
      {(user) => (user ? children(user) : <Navigate to="/log-in" search={{ returnTo: here }} replace />)}
    </Loaded>
  );
}
