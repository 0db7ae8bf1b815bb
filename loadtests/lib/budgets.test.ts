import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Budget, budgets, excessTokens, missingTokens } from './budgets.ts';

/** Simulates calls on an exact token bucket; several buckets simulate a limit per task. */
function serve(gapsMs: readonly number[], { capacity, refillSeconds }: Budget, buckets = 1) {
  const filled = Array.from({ length: buckets }, () => ({ tokens: capacity, at: 0 }));
  let now = 0;
  return gapsMs.map((gap, index) => {
    now += gap;
    const bucket = filled[index % buckets] ?? { tokens: 0, at: 0 };
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) / 1000 / refillSeconds);
    bucket.at = now;
    const served = bucket.tokens >= 1;
    if (served) bucket.tokens -= 1;
    return { sentAt: now, receivedAt: now, served };
  });
}

const served = <Reply extends { served: boolean }>(replies: Reply[]) => replies.filter((reply) => reply.served);
const gaps = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1000, max: 9000 })),
  {
    minLength: 1,
    maxLength: 120,
  },
);

test('one bucket never serves more than the budget', () => {
  fc.assert(fc.property(gaps, (all) => excessTokens(served(serve(all, budgets.booking)), budgets.booking) <= 0));
});

test('three separate buckets under constant load exceed the budget', () => {
  const replies = serve(Array<number>(60).fill(50), budgets.booking, 3);
  expect(excessTokens(served(replies), budgets.booking)).toBeGreaterThanOrEqual(15);
});

test('a single excess token in a long run is detected', () => {
  const quiet = serve(Array<number>(40).fill(5000), budgets.booking);
  const burst = Array.from({ length: 11 }, () => ({ sentAt: 300_000, receivedAt: 300_010 }));
  expect(excessTokens([...served(quiet), ...burst], budgets.booking)).toBe(1);
  expect(excessTokens([...served(quiet), ...burst.slice(1)], budgets.booking)).toBe(0);
});

test('a client with constant demand is served the whole budget', () => {
  for (const budget of [budgets.login, budgets.booking]) {
    const replies = serve(
      [...Array<number>(40).fill(0), ...Array<number>(60).fill(budget.refillSeconds * 500)],
      budget,
    );
    expect(missingTokens(replies, budget)).toBeLessThanOrEqual(0);
  }
});

test('a bucket that does not refill is detected', () => {
  const frozen = { ...budgets.booking, refillSeconds: 1e9 };
  const replies = serve([...Array<number>(20).fill(0), ...Array<number>(40).fill(500)], frozen);
  expect(missingTokens(replies, budgets.booking)).toBeGreaterThan(10);
});
