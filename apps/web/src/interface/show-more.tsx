import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './button.tsx';

/** A button that loads the next page of a list, if there is one. */
export function ShowMore({
  list,
  children,
}: {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  children: string;
}) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      look="quiet"
      busy={list.isFetchingNextPage}
      busyText="Loading more"
      onClick={() => {
        list.fetchNextPage().catch(() => undefined);
      }}
    >
      {children}
    </Button>
  );
}
