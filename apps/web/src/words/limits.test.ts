import type { LimitChange } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { limitDifferences, limitEffects, limitWords, rateWords } from './limits.ts';

const limit: LimitChange = {
  capacity: 10,
  refillTokens: 1,
  refillIntervalMs: 1000,
  onStoreFailure: 'closed',
  suppression: null,
  shadow: false,
};

test('a rate is said by the unit that it is known in', () => {
  expect(limitWords(limit)).toBe('10 at once, then 1 per second');
  expect(rateWords({ refillTokens: 5, refillIntervalMs: 60_000 })).toBe('5 per minute');
  expect(rateWords({ refillTokens: 1, refillIntervalMs: 3000 })).toBe('1 per 3 seconds');
  expect(rateWords({ refillTokens: 8, refillIntervalMs: 250 })).toBe('8 per 250 ms');
});

test('only the parts that a change touches are differences', () => {
  expect(limitDifferences(limit, limit)).toEqual([]);
  expect(limitDifferences(limit, { ...limit, capacity: 25, shadow: true })).toEqual([
    { what: 'At once', before: '10', after: '25' },
    { what: 'Enforced', before: 'yes', after: 'no: shadow mode only counts' },
  ]);
});

test('the effect of a change is capacity and refill over a minute, and what buckets in use gain or lose', () => {
  expect(limitEffects(limit, { ...limit, capacity: 25 })).toEqual([
    'In a minute somebody is served at most 85 times; now 70.',
    'An empty bucket is full after 25 seconds; now 10 seconds.',
    'Buckets in use gain 15 tokens with their next request.',
  ]);
  expect(limitEffects(limit, { ...limit, capacity: 3 }).at(-1)).toContain('cut to 3');
});

test('a refill that is no whole number per second is not rounded up', () => {
  const slow = { ...limit, capacity: 1, refillTokens: 1, refillIntervalMs: 7000 };
  expect(limitEffects(limit, slow)[0]).toBe('In a minute somebody is served at most 9 times; now 70.');
});
