import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { identityOf, type PlaygroundCall } from './observe.ts';
import { policyOf } from './set-up.ts';

const busyMs = 500;
const idleMs = 10_000;

/**
 * Queries the bucket that this caller spends from. Reading it costs no tokens.
 * @param isMoving whether requests are in flight: then, and while there are strikes or bans, it is refetched twice a second
 */
export function ownBucketQuery(caller: PlaygroundCall, isMoving: () => boolean) {
  const { tier, whenAway, sentAs, apiKey } = caller;
  const policy = policyOf[whenAway];
  return queryOptions({
    queryKey: ['limiter', 'bucket', policy, tier, sentAs, apiKey],
    queryFn: ({ signal }) => call('readPlaygroundBucket', { query: { policy, tier }, signal, ...identityOf(caller) }),
    refetchInterval: ({ state }) => {
      const { strikes = 0, bans = 0 } = state.data ?? {};
      return isMoving() || strikes + bans > 0 ? busyMs : idleMs;
    },
    staleTime: 0,
  });
}
