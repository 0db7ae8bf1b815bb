import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { followOtherTabs } from './api/session.ts';
import { createShopRouter } from './routes.tsx';

const queryClient = createQueryClient();
followOtherTabs(queryClient);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const router = createShopRouter();

function show(page: HTMLElement) {
  createRoot(page).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

if (root.hasChildNodes()) {
  // What was rendered when the page was built stays until all of it can be put in its place at once: nothing moves.
  router
    .load()
    .catch(() => undefined)
    .finally(() => show(root));
} else show(root);
