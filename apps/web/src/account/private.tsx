import type { User } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { Loaded } from '../interface/loaded.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';

/** What only somebody who is logged in sees. Everybody else logs in first and comes back. */
export function Private({ children }: { children: (user: User) => ReactNode }) {
  return (
    <Loaded query={useQuery(sessionQuery)} waiting={<PageSkeleton />}>
      {(user) => (user ? children(user) : <ToLogIn />)}
    </Loaded>
  );
}

function ToLogIn() {
  const router = useRouter();
  useEffect(() => {
    // Read once, here: on the way to the log-in the current address is already the log-in's.
    const returnTo = router.latestLocation.href;
    router.navigate({ to: '/log-in', search: { returnTo }, replace: true }).catch(() => undefined);
  }, [router]);
  return <PageSkeleton />;
}
