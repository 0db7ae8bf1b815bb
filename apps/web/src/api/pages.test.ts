import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { pagesOf } from './pages.ts';

/** Endless pages of one number each. */
const numbers = (maxPages: number) =>
  pagesOf<number>({
    queryKey: ['numbers'],
    read: async (cursor) => ({ items: [Number(cursor ?? 1)], nextCursor: String(Number(cursor ?? 1) + 1) }),
    maxPages,
  });

test('a list ends at its maximum number of pages and keeps the first ones', async () => {
  const observer = new InfiniteQueryObserver(new QueryClient(), numbers(3));
  for (let page = 0; page < 5; page += 1) await observer.fetchNextPage();
  const { data, hasNextPage } = observer.getCurrentResult();
  expect(data).toEqual([1, 2, 3]);
  expect(hasNextPage).toBe(false);
});

test('a list has a next page as long as the API returns a cursor', async () => {
  const observer = new InfiniteQueryObserver(new QueryClient(), numbers(3));
  await observer.fetchNextPage();
  expect(observer.getCurrentResult().hasNextPage).toBe(true);
});
