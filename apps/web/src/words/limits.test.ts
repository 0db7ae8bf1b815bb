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

test('a rate is written per second, minute or hour where its interval is one', () => {
  expect(limitWords(limit)).toBe('10 at once, then 1 per second');
  expect(rateWords({ refillTokens: 5, refillIntervalMs: 60_000 })).toBe('5 per minute');
  expect(rateWords({ refillTokens: 1, refillIntervalMs: 3000 })).toBe('1 per 3 seconds');
  expect(rateWords({ refillTokens: 8, refillIntervalMs: 250 })).toBe('8 per 250 ms');
});

test('only the parts of a limit that change are listed as differences', () => {
  expect(limitDifferences(limit, limit)).toEqual([]);
  expect(limitDifferences(limit, { ...limit, capacity: 25, shadow: true })).toEqual([
    { what: 'Burst', before: '10', after: '25' },
    { what: 'Enforced', before: 'yes', after: 'no: shadow mode only counts' },
  ]);
});

test('the effects of a change name the requests per minute, the time to full, and what existing buckets gain or lose', () => {
  expect(limitEffects(limit, { ...limit, capacity: 25 })).toEqual([
    'One client is served at most 85 requests a minute (now 70).',
    'An empty bucket is full again after 25 seconds (now 10 seconds).',
    'Existing buckets gain 15 tokens with their next request.',
  ]);
  expect(limitEffects(limit, { ...limit, capacity: 3 }).at(-1)).toContain('cut to 3');
});

test('a fractional refill per second is not rounded up', () => {
  const slow = { ...limit, capacity: 1, refillTokens: 1, refillIntervalMs: 7000 };
  expect(limitEffects(limit, slow)[0]).toBe('One client is served at most 9 requests a minute (now 70).');
});
