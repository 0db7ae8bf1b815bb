import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Budget, belowBudget, beyondBudget, budgets } from './budgets.ts';

/** A bucket as the product promises it, by exact arithmetic in ms; several of them are a limit in each task. */
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
    return { sentAt: now, answeredAt: now, served };
  });
}

const served = <Answer extends { served: boolean }>(answers: Answer[]) => answers.filter((answer) => answer.served);
const gaps = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1000, max: 9000 })),
  {
    minLength: 1,
    maxLength: 120,
  },
);

test('what one bucket serves is never beyond the budget', () => {
  fc.assert(fc.property(gaps, (all) => beyondBudget(served(serve(all, budgets.booking)), budgets.booking) <= 0));
});

test('three buckets that are hammered are found out', () => {
  const answers = serve(Array<number>(60).fill(50), budgets.booking, 3);
  expect(beyondBudget(served(answers), budgets.booking)).toBeGreaterThanOrEqual(15);
});

test('one token too many is found out, also when it is the only one in a long run', () => {
  const quiet = serve(Array<number>(40).fill(5000), budgets.booking);
  const burst = Array.from({ length: 11 }, () => ({ sentAt: 300_000, answeredAt: 300_010 }));
  expect(beyondBudget([...served(quiet), ...burst], budgets.booking)).toBe(1);
  expect(beyondBudget([...served(quiet), ...burst.slice(1)], budgets.booking)).toBe(0);
});

test('who asks all the time is served the whole budget', () => {
  for (const budget of [budgets.login, budgets.booking]) {
    const answers = serve(
      [...Array<number>(40).fill(0), ...Array<number>(60).fill(budget.refillSeconds * 500)],
      budget,
    );
    expect(belowBudget(answers, budget)).toBeLessThanOrEqual(0);
  }
});

test('a bucket that lost its refill is found out', () => {
  const frozen = { ...budgets.booking, refillSeconds: 1e9 };
  const answers = serve([...Array<number>(20).fill(0), ...Array<number>(40).fill(500)], frozen);
  expect(belowBudget(answers, budgets.booking)).toBeGreaterThan(10);
});
