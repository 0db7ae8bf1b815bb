import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { followOtherTabs } from './api/session.ts';
import { createShopRouter } from './routes.tsx';

const queryClient = createQueryClient();
followOtherTabs(queryClient);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const router = createShopRouter();
const page = (
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>
);

if (root.hasChildNodes()) {
  // The page was prerendered at build time. It stays until its code and data are loaded, so that nothing shifts.
  const isPrerendered = window.location.search === '';
  // Marks the router as server-rendered: the prerendered HTML has no boundary around all pages either.
  if (isPrerendered) router.ssr = { manifest: undefined };
  router
    .load()
    .catch(() => undefined)
    .finally(() => {
      // Hydration keeps what the reader has focused or opened. With a query the page may differ, so it is replaced.
      if (isPrerendered) hydrateRoot(root, page);
      else createRoot(root).render(page);
    });
} else createRoot(root).render(page);
