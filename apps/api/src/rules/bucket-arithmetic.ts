import type { LimitChange } from '@minitickets/contract';

/*
 * The arithmetic of a bucket, in the parts that `rate-limits.lua` counts in: a refill interval's microseconds make a token.
 */

/** What a bucket holds, and how fast it fills. */
export type Rate = Pick<LimitChange, 'capacity' | 'refillTokens' | 'refillIntervalMs'>;

/** How many parts make a token. */
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
 * The quotient, up to the next whole number. Exact for whole numbers below 2^53: a quotient that is none is further from the
 * next one (1 / divisor, or more) than a division is rounded by (quotient / 2^53, or less).
 */
export const divideUp = (dividend: number, divisor: number) => Math.ceil(dividend / divisor);
