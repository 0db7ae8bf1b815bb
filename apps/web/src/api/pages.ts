import { infiniteQueryOptions } from '@tanstack/react-query';

/** One page of a list, as the API returns it. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

interface PagesOptions<Item> {
  queryKey: readonly unknown[];
  read: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>;
  /** The list ends after this many pages. Dropping the first ones instead would remove what a reader sees first. */
  maxPages: number;
  /** How often all loaded pages are refetched, in ms. */
  refetchInterval?: number;
}

/** Query options of a list that is loaded page by page and shown as one. */
export const pagesOf = <Item>({ queryKey, read, maxPages, refetchInterval }: PagesOptions<Item>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page, pages) => (pages.length < maxPages ? page.nextCursor : null),
    select: ({ pages }) => pages.flatMap((page) => page.items),
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
