import type { User } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { Loaded } from '../interface/loaded.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';

/** Renders its children for a logged-in user. Anyone else is sent to the log-in page and returns afterwards. */
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
    // Read before navigating: afterwards the current address is the log-in page's own.
    const returnTo = router.latestLocation.href;
    router.navigate({ to: '/log-in', search: { returnTo }, replace: true }).catch(() => undefined);
  }, [router]);
  return <PageSkeleton />;
}
