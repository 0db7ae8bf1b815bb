import { expect, test } from 'vitest';
import { atLeast, atMost, type Expectation, exactly, inWords, meets } from './results.ts';
import { type Arm, judgeArm, reasonsAgainst } from './verdict.ts';

const arm = (name: string, expected: Expectation): Arm => ({
  ...{ name, what: name, expected: { served: expected }, differences: [], mostChangedLines: 0 },
  run: async () => ({}),
});

/** Judges a naive arm that is to serve 60 where the shipped one is to serve 20. */
function judge({
  naive = { served: 60 },
  shipped = { served: 20 },
  requests = [100, 100],
}: {
  naive?: Record<string, number>;
  shipped?: Record<string, number>;
  requests?: [number, number];
} = {}) {
  const both = { measures: { served: 'calls served' }, holds: { served: exactly(20) }, durationMs: 1 };
  return reasonsAgainst([
    judgeArm({ ...both, arm: arm('naive', exactly(60)), found: naive, requests: requests[0] }),
    judgeArm({ ...both, arm: arm('shipped', exactly(20)), found: shipped, requests: requests[1] }),
  ]);
}

test('a claim is proved if the naive arm fails as stated and the shipped arm holds', () => {
  expect(judge()).toEqual([]);
});

test('a naive arm that no longer fails proves nothing', () => {
  expect(judge({ naive: { served: 20 } })).toEqual(['naive: calls served: found 20, stated 60']);
});

test('a naive arm that fails differently than stated proves nothing', () => {
  expect(judge({ naive: { served: 59 } })).toEqual(['naive: calls served: found 59, stated 60']);
});

test('a naive arm that is expected to hold everything is rejected', () => {
  const both = { measures: { served: 'calls served' }, holds: { served: exactly(20) }, requests: 1, durationMs: 1 };
  const results = ['naive', 'shipped'].map((name) =>
    judgeArm({ ...both, arm: arm(name, exactly(20)), found: { served: 20 } }),
  );
  expect(reasonsAgainst(results)).toEqual(['naive: it does not fail, it holds all that the shipped arm holds']);
});

test('a shipped arm that does not hold fails the verdict', () => {
  expect(judge({ shipped: { served: 21 } })).toEqual(['shipped: calls served: found 21, stated 20']);
});

test('an empty result proves nothing', () => {
  expect(judge({ naive: {} })).toEqual(['naive: calls served: found NaN, stated 60']);
  expect(judge({ requests: [0, 0] })).toEqual(['naive: it got no requests', 'shipped: it got no requests']);
  expect(reasonsAgainst([])).toEqual(['there are no two arms to compare']);
});

test('arms with different loads cannot be compared', () => {
  expect(judge({ requests: [100, 99] })).toEqual(['the arms were not given the same load: 100, 99 requests']);
});

test('an expectation includes its bounds, and only numbers meet it', () => {
  expect([19, 20, 21].map((found) => meets(found, exactly(20)))).toEqual([false, true, false]);
  expect([19, 20, 21].map((found) => meets(found, atMost(20)))).toEqual([true, true, false]);
  expect([19, 20, 21].map((found) => meets(found, atLeast(20)))).toEqual([false, true, true]);
  expect([Number.NaN, Number.POSITIVE_INFINITY].map((found) => meets(found, {}))).toEqual([false, false]);
  expect([exactly(3), atMost(3), atLeast(3), { least: 1, most: 3 }].map(inWords)).toEqual([
    '3',
    'at most 3',
    'at least 3',
    '1 to 3',
  ]);
});
