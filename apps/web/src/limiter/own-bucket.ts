import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { identityOf, type PlaygroundCall } from './observe.ts';
import { policyOf } from './set-up.ts';

const busyMs = 500;
const calmMs = 10_000;

/**
 * The bucket that calls like this one spend from, as the API shows it to its owner. Looking spends nothing of it.
 * @param isMoving whether requests are on their way: then, and while something is remembered, it is looked at twice a second
 */
export function ownBucketQuery(caller: PlaygroundCall, isMoving: () => boolean) {
  const { tier, whenAway, sentAs, apiKey } = caller;
  const policy = policyOf[whenAway];
  return queryOptions({
    queryKey: ['limiter', 'bucket', policy, tier, sentAs, apiKey],
    queryFn: ({ signal }) => call('readPlaygroundBucket', { query: { policy, tier }, signal, ...identityOf(caller) }),
    refetchInterval: ({ state }) => {
      const { strikes = 0, bans = 0 } = state.data ?? {};
      return isMoving() || strikes + bans > 0 ? busyMs : calmMs;
    },
    staleTime: 0,
  });
}
