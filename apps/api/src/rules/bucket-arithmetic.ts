import type { LimitChange } from '@minitickets/contract';

/*
 * The integer arithmetic of `rate-limits.lua`: one token is as many parts as its refill interval has microseconds.
 * `refillTokens` parts flow back per microsecond, and no fraction of a token is lost.
 */

/** The burst (capacity) and refill rate of a bucket. */
export type Rate = Pick<LimitChange, 'capacity' | 'refillTokens' | 'refillIntervalMs'>;

/** Parts per token. */
export const partsOfToken = ({ refillIntervalMs }: Rate) => refillIntervalMs * 1000;

/** Whole tokens that can be spent. */
export const wholeTokens = (rate: Rate, parts: number) => Math.floor(parts / partsOfToken(rate));

/** Microseconds until the bucket is full. */
export const fullAfterUs = (rate: Rate, parts: number) =>
  divideUp(rate.capacity * partsOfToken(rate) - parts, rate.refillTokens);

/** Microseconds until there is one whole token more; 0 for a full bucket, which gets no more. */
export function nextTokenAfterUs(rate: Rate, parts: number) {
  const tokens = wholeTokens(rate, parts);
  return tokens >= rate.capacity ? 0 : divideUp((tokens + 1) * partsOfToken(rate) - parts, rate.refillTokens);
}

/**
 * Divides and rounds up. Exact for integers below 2^53: a fractional quotient is at least 1 / divisor away from an integer,
 * and division rounds by at most quotient / 2^53.
 */
export const divideUp = (dividend: number, divisor: number) => Math.ceil(dividend / divisor);
