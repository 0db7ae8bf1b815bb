import { summaries } from 'virtual:decisions';
import { ladder } from 'virtual:ladder';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { createQueryClient } from './api/queries.ts';
import { plainText } from './decisions/content.ts';
import { createShopRouter } from './routes.tsx';

/** A prerendered page. */
export type PrerenderedPage = {
  /** Such as `/decisions/double-click`. */
  address: string;
  title: string;
  description: string;
  /** Content of the element that the scripts hydrate. */
  html: string;
};

/**
 * Renders the pages that are the same for everyone, so that they are readable without JavaScript and by search engines. The
 * scripts hydrate the same HTML, so that nothing shifts.
 */
export function prerender(): Promise<PrerenderedPage[]> {
  return Promise.all([
    page('/decisions', {
      title: 'Decisions',
      description: `${summaries.length} system-design decisions of a ticket shop, each with a question, an answer, the code, and an experiment that proves it.`,
    }),
    page('/decisions/ladder', { title: ladder.title, description: plainText(ladder.question) }),
    page('/decisions/answers', {
      title: 'All answers in 30 seconds',
      description: `${summaries.length} system-design questions of a ticket shop, each with an answer of 30 seconds, to print.`,
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
