import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createQueryClient } from '../api/queries.ts';
import { Announcer } from '../interface/announcer.tsx';

/** Renders a component inside the providers of the shop, at a URL, with the announcer. */
export async function renderPart(part: ReactNode, path = '/') {
  const rootRoute = createRootRoute();
  const route = createRoute({ getParentRoute: () => rootRoute, path: '$', component: () => part });
  const router = createRouter({
    routeTree: rootRoute.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  await router.load();
  await act(async () => {
    render(
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router as never} />
        <Announcer />
      </QueryClientProvider>,
    );
  });
}
