import { expect, test } from 'vitest';
import { makeLimit } from './limit-table.ts';
import { localBuckets } from './local-buckets.ts';

const SECOND = 1_000_000;
const limitOf = (capacity: number) =>
  makeLimit(
    'playground',
    'free',
    { capacity, refillTokens: 3, refillIntervalMs: 1000, onStoreFailure: 'local', suppression: null, shadow: false },
    0,
  );

function clockedBuckets(max?: number) {
  const clock = { us: 0 };
  return { clock, buckets: localBuckets({ ...(max && { max }), nowUs: () => clock.us }) };
}

test('each of three tasks grants a third of the capacity and of the rate', () => {
  const { clock, buckets } = clockedBuckets();
  const take = () => buckets.take('someone', limitOf(30), 3).allowed;
  expect(Array.from({ length: 12 }, take).filter(Boolean)).toHaveLength(10);
  clock.us += 2 * SECOND;
  expect(Array.from({ length: 12 }, take).filter(Boolean)).toHaveLength(2);
});

test('a client that waits for retryAfter is served', () => {
  const { clock, buckets } = clockedBuckets();
  const take = () => buckets.take('someone', limitOf(1), 7);
  expect(take()).toEqual({ allowed: true });
  expect(take()).toEqual({ allowed: false, retryAfterMs: 2334 });
  clock.us += 2_333_333;
  expect(take()).toEqual({ allowed: false, retryAfterMs: 1 });
  clock.us += 1;
  expect(take()).toEqual({ allowed: true });
});

test('a share is never less than one token', () => {
  const { buckets } = clockedBuckets();
  expect(buckets.take('someone', limitOf(2), 5)).toEqual({ allowed: true });
  expect(buckets.take('someone', limitOf(2), 5)).toMatchObject({ allowed: false });
});

test('a cost above the share is refused without a retryAfter, because waiting would not help', () => {
  const { buckets } = clockedBuckets();
  expect(buckets.take('someone', limitOf(30), 3, 11)).toEqual({ allowed: false, retryAfterMs: undefined });
});

test('the number of buckets is bounded, and the least recently used is evicted first', () => {
  const { buckets } = clockedBuckets(2);
  const take = (name: string) => buckets.take(name, limitOf(1), 1).allowed;
  take('a');
  take('b');
  take('a');
  take('c');
  expect(buckets.size).toBe(2);
  expect(take('a')).toBe(false);
  expect(take('b')).toBe(true);
});
