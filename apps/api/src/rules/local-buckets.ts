import { divideUp, fullAfterUs, partsOfToken, type Rate } from './bucket-arithmetic.ts';
import type { Limit } from './limit-table.ts';

/** More identities than a task sees during an outage, in a few megabytes. */
const MAX_BUCKETS = 10_000;

type LocalBucket = { parts: number; atUs: number; rate: Rate };
export type LocalDecision = { allowed: true } | { allowed: false; retryAfterMs: number | undefined };

/**
 * Enforces a task's share of each limit from its own memory while Redis is down. Buckets start full. All tasks together grant
 * about one limit if their number has not changed; a capacity below the number of tasks is exceeded, because each task grants
 * at least one token. There are no bans and no promised slots: a refusal names the next token of this task's share.
 */
export function localBuckets({ max = MAX_BUCKETS, nowUs = monotonicUs }: { max?: number; nowUs?: () => number } = {}) {
  // In order of last use: the first is evicted when there are too many.
  const buckets = new Map<string, LocalBucket>();
  return {
    /** @param tasks number of tasks that share the limit */
    take(name: string, limit: Limit, tasks: number, cost = 1): LocalDecision {
      const rate = shareOf(limit, tasks);
      if (cost > rate.capacity) return { allowed: false, retryAfterMs: undefined };
      const bucket = refilled(buckets.get(name), rate, nowUs());
      const lacking = cost * partsOfToken(rate) - bucket.parts;
      if (lacking <= 0) bucket.parts = -lacking;
      buckets.delete(name);
      buckets.set(name, bucket);
      if (buckets.size > max) buckets.delete(buckets.keys().next().value as string);
      if (lacking <= 0) return { allowed: true };
      return { allowed: false, retryAfterMs: Math.ceil(divideUp(lacking, rate.refillTokens) / 1000) };
    },
    /** Deletes all buckets: Redis is back and has the true state. */
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
  // A changed share starts full: outages are short, and a full share is still only a share.
  const same = bucket && JSON.stringify(bucket.rate) === JSON.stringify(rate);
  if (!same) return { parts: full, atUs: nowUs, rate };
  const elapsedUs = Math.min(nowUs - bucket.atUs, fullAfterUs(rate, bucket.parts));
  return { parts: Math.min(full, bucket.parts + elapsedUs * rate.refillTokens), atUs: nowUs, rate };
}

/** Monotonic, unlike the task's wall clock. */
const monotonicUs = () => Math.floor(performance.now() * 1000);
