import type { PlaygroundBucket } from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { identityOf, type PlaygroundCall } from './observe.ts';
import { policyOf } from './set-up.ts';

const busyMs = 500;
const calmMs = 10_000;

/**
 * The bucket that calls like this one spend from, as the API shows it to its owner. Looking spends nothing of it.
 * @param isMoving whether requests are on their way: then, and while something is remembered, it is looked at twice a second
 */
export function ownBucketQuery(call: PlaygroundCall, isMoving: () => boolean) {
  const { tier, whenAway, sentAs, apiKey } = call;
  const path = `/v1/playground/bucket?${new URLSearchParams({ policy: policyOf[whenAway], tier })}`;
  return queryOptions({
    queryKey: ['limiter', 'bucket', path, sentAs, apiKey],
    queryFn: ({ signal }) => request<PlaygroundBucket>({ path, signal, ...identityOf(call) }),
    refetchInterval: ({ state }) => {
      const { strikes = 0, bans = 0 } = state.data ?? {};
      return isMoving() || strikes + bans > 0 ? busyMs : calmMs;
    },
    staleTime: 0,
  });
}
