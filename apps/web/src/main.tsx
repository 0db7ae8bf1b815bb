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
  // The page was rendered when it was built. It stays until all that it needs is here, so that nothing moves.
  const wasRendered = window.location.search === '';
  // Then there is no boundary around all pages, as there was none where it was rendered.
  if (wasRendered) router.ssr = { manifest: undefined };
  router
    .load()
    .catch(() => undefined)
    .finally(() => {
      // What the reader has focused or opened meanwhile stays as it is. With a search it may be another page: that replaces it.
      if (wasRendered) hydrateRoot(root, page);
      else createRoot(root).render(page);
    });
} else createRoot(root).render(page);
