import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { pagesOf } from './pages.ts';

/** Pages of one number each, without end. */
const numbers = (mostPages: number) =>
  pagesOf<number>({
    queryKey: ['numbers'],
    read: async (cursor) => ({ items: [Number(cursor ?? 1)], nextCursor: String(Number(cursor ?? 1) + 1) }),
    mostPages,
  });

test('a list ends at its bound, and keeps what came first', async () => {
  const observer = new InfiniteQueryObserver(new QueryClient(), numbers(3));
  for (let page = 0; page < 5; page += 1) await observer.fetchNextPage();
  const { data, hasNextPage } = observer.getCurrentResult();
  expect(data).toEqual([1, 2, 3]);
  expect(hasNextPage).toBe(false);
});

test('there is more as long as the API says so', async () => {
  const observer = new InfiniteQueryObserver(new QueryClient(), numbers(3));
  await observer.fetchNextPage();
  expect(observer.getCurrentResult().hasNextPage).toBe(true);
});
