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
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createShopRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);
