import type { LimitActivitySeries } from '@minitickets/contract';

/** Decisions per second in one interval, which ended `secondsAgo` before the newest interval did. */
export interface Rates {
  secondsAgo: number;
  allowed: number;
  throttled: number;
  suppressed: number;
}

/**
 * Returns the rates of one policy or the sum of all policies, oldest interval first.
 * @param policy undefined means all
 */
export function ratesOf({ policies, intervals, intervalSeconds }: LimitActivitySeries, policy?: string): Rates[] {
  const shown = policies.filter((one) => policy === undefined || one.policy === policy);
  const rate = (outcome: 'allowed' | 'throttled' | 'suppressed', index: number) =>
    shown.reduce((sum, one) => sum + (one[outcome][index] ?? 0), 0) / intervalSeconds;
  return Array.from({ length: intervals }, (_, index) => ({
    secondsAgo: (intervals - 1 - index) * intervalSeconds,
    allowed: rate('allowed', index),
    throttled: rate('throttled', index),
    suppressed: rate('suppressed', index),
  }));
}
