import { summaries } from 'virtual:decisions';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { createQueryClient } from './api/queries.ts';
import { plainText } from './decisions/content.ts';
import { createShopRouter } from './routes.tsx';

/** A page as it is before any script has run. */
export type PrerenderedPage = {
  /** As in `/decisions/double-click`. */
  address: string;
  title: string;
  description: string;
  /** Of the element that the scripts render into later. */
  html: string;
};

/**
 * Renders the pages that say the same to everybody: what is read there can be read without JavaScript, and found. The scripts
 * put the same in its place, so that nothing moves.
 */
export function prerender(): Promise<PrerenderedPage[]> {
  return Promise.all([
    page('/decisions', {
      title: 'Decisions',
      description: `${summaries.length} decisions of a ticket shop, each with its question, its answer, its lines of code, and an experiment that proves it.`,
    }),
    ...summaries.map(({ name, title, question }) =>
      page(`/decisions/${name}`, { title, description: plainText(question) }),
    ),
  ]);
}

async function page(address: string, about: Omit<PrerenderedPage, 'address' | 'html'>): Promise<PrerenderedPage> {
  const router = createShopRouter(createMemoryHistory({ initialEntries: [address] }));
  await router.load();
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { address, ...about, html };
}
