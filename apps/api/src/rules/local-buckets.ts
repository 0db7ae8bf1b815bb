import { divideUp, fullAfterUs, partsOfToken, type Rate } from './bucket-arithmetic.ts';
import type { Limit } from './limits.ts';

/** More identities than a task meets during an outage, and a few megabytes. */
const MOST_BUCKETS = 10_000;

type LocalBucket = { parts: number; atUs: number; rate: Rate };
export type LocalDecision = { allowed: true } | { allowed: false; retryAfterMs: number | undefined };

/**
 * What a task enforces by itself while Redis is away: its share of each limit, in buckets that begin full. With as many tasks
 * as were last seen, all of them together serve about one limit; a limit smaller than the number of tasks is overspent, as
 * each has to give at least one token. Bans are not known here.
 */
export function localBuckets({
  most = MOST_BUCKETS,
  nowUs = monotonicUs,
}: {
  most?: number;
  nowUs?: () => number;
} = {}) {
  // In the order of their last use: the first is dropped when there are too many.
  const buckets = new Map<string, LocalBucket>();
  return {
    /** @param tasks how many share the limit */
    take(name: string, limit: Limit, tasks: number, cost = 1): LocalDecision {
      const rate = shareOf(limit, tasks);
      if (cost > rate.capacity) return { allowed: false, retryAfterMs: undefined };
      const bucket = refilled(buckets.get(name), rate, nowUs());
      const lacking = cost * partsOfToken(rate) - bucket.parts;
      if (lacking <= 0) bucket.parts = -lacking;
      buckets.delete(name);
      buckets.set(name, bucket);
      if (buckets.size > most) buckets.delete(buckets.keys().next().value as string);
      if (lacking <= 0) return { allowed: true };
      return { allowed: false, retryAfterMs: Math.ceil(divideUp(lacking, rate.refillTokens) / 1000) };
    },
    /** Forgets everything: Redis is back, and knows better. */
    clear: () => buckets.clear(),
    get size() {
      return buckets.size;
    },
  };
}

function shareOf({ capacity, refillTokens, refillIntervalMs }: Rate, tasks: number): Rate {
  return {
    capacity: Math.max(1, Math.floor(capacity / tasks)),
    refillTokens,
    refillIntervalMs: refillIntervalMs * tasks,
  };
}

function refilled(bucket: LocalBucket | undefined, rate: Rate, nowUs: number): LocalBucket {
  const full = rate.capacity * partsOfToken(rate);
  // A changed share begins anew: outages are short, and a full share is no more than a share.
  const same = bucket && JSON.stringify(bucket.rate) === JSON.stringify(rate);
  if (!same) return { parts: full, atUs: nowUs, rate };
  const elapsedUs = Math.min(nowUs - bucket.atUs, fullAfterUs(rate, bucket.parts));
  return { parts: Math.min(full, bucket.parts + elapsedUs * rate.refillTokens), atUs: nowUs, rate };
}

/** Never set back, which a task's wall clock can be. */
const monotonicUs = () => Math.floor(performance.now() * 1000);
