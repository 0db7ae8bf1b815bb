import { infiniteQueryOptions } from '@tanstack/react-query';

/** As the API gives lists. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

interface PagesOptions<Item> {
  queryKey: readonly unknown[];
  read: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>;
  /** How many pages are kept. The list ends there: to drop the first ones instead would take away what a reader sees first. */
  mostPages: number;
  /** How often all of them are asked for anew, one after the other. */
  refetchInterval?: number;
}

/** A list that is read page by page, from the first on, and shown as one. */
export const pagesOf = <Item>({ queryKey, read, mostPages, refetchInterval }: PagesOptions<Item>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page, pages) => (pages.length < mostPages ? page.nextCursor : null),
    select: ({ pages }) => pages.flatMap((page) => page.items),
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
