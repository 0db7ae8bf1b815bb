import type { LimitActivitySeries } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { ratesOf } from './rates.ts';

const zeros = [0, 0, 0];
const series: LimitActivitySeries = {
  intervalSeconds: 5,
  until: '2026-12-05T18:00:00.000Z',
  intervals: 3,
  policies: [
    { policy: 'booking', allowed: [10, 0, 5], throttled: [0, 0, 1], suppressed: zeros, degraded: zeros },
    { policy: 'login', allowed: [0, 0, 10], throttled: zeros, suppressed: [0, 0, 20], degraded: zeros },
  ],
};

test('the counts of an interval become decisions per second, and the newest interval ends now', () => {
  expect(ratesOf(series, 'booking')).toEqual([
    { secondsAgo: 10, allowed: 2, throttled: 0, suppressed: 0 },
    { secondsAgo: 5, allowed: 0, throttled: 0, suppressed: 0 },
    { secondsAgo: 0, allowed: 1, throttled: 0.2, suppressed: 0 },
  ]);
});

test('without a policy, the rates are the sum over all policies', () => {
  expect(ratesOf(series).at(-1)).toEqual({ secondsAgo: 0, allowed: 3, throttled: 0.2, suppressed: 4 });
});

test('a policy without decisions has a rate of zero in every interval', () => {
  expect(ratesOf(series, 'payment').map(({ allowed }) => allowed)).toEqual([0, 0, 0]);
});
