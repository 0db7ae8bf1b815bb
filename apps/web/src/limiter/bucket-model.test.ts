import { expect, test } from 'vitest';
import type { Outcome } from '../drawing/marks.ts';
import { createBucketModel } from './bucket-model.ts';
import type { Observation } from './observe.ts';

const capacity = 10;
const refillPerMs = 0.001;

/** The API's response for a bucket that holds `tokens` after the request. */
function answer(
  outcome: Outcome,
  tokens: number,
  { sentAt, receivedAt }: { sentAt: number; receivedAt: number },
  limit = { capacity, refillPerMs },
): Observation {
  const fullMs = outcome === 'served' ? (limit.capacity - tokens) / limit.refillPerMs : undefined;
  return {
    sentAt,
    receivedAt,
    outcome,
    status: outcome === 'served' ? 200 : 429,
    task: 'task-1',
    bucket: { ...limit, exact: outcome === 'served' && limit.capacity - tokens > 1, fullMs },
    retryAfterMs: undefined,
    degraded: undefined,
    refusedBy: undefined,
    problem: undefined,
  };
}

/** Sends the requests one after another and reports each response to the model. */
function observe(model: ReturnType<typeof createBucketModel>, answers: Observation[]) {
  for (const one of answers) model.sending(one.sentAt)(one);
}

const at = (sentAt: number) => ({ sentAt, receivedAt: sentAt + 4 });

test('between responses the bucket refills up to its capacity', () => {
  const model = createBucketModel();
  expect(model.tokensAt(0)).toBeUndefined();
  observe(model, [answer('served', 2.5, at(0))]);
  expect(model.tokensAt(4)).toBeCloseTo(2.5);
  expect(model.tokensAt(1004)).toBeCloseTo(3.5);
  expect(model.tokensAt(60_000)).toBe(capacity);
  expect(model.fullAt()).toBeCloseTo(7504);
});

test('responses that agree with the refill and the spending are not mismatches', () => {
  const model = createBucketModel();
  observe(model, [
    answer('served', 7, at(0)),
    answer('served', 6.5, at(500)),
    answer('served', 5.6, at(600)),
    answer('served', 9, at(60_000)),
  ]);
  expect(model.report).toEqual({ checked: 3, mismatches: [] });
});

test('fewer tokens than possible mean that another client spends from the bucket', () => {
  const model = createBucketModel();
  observe(model, [answer('served', 7, at(0)), answer('served', 2.5, at(500))]);
  expect(model.report.mismatches).toMatchObject([{ kind: 'less', reported: { max: 2.5 } }]);
});

test('a refusal while the bucket must hold a token is a mismatch', () => {
  const model = createBucketModel();
  observe(model, [answer('served', 7, at(0)), answer('throttled', 0, at(500))]);
  expect(model.report.mismatches).toHaveLength(1);
});

test('more tokens than possible are always a mismatch', () => {
  const model = createBucketModel();
  observe(model, [answer('served', 3, at(0)), answer('served', 5, at(500))]);
  expect(model.report.mismatches).toMatchObject([{ kind: 'more' }]);
});

test('requests that overtake each other are not mismatches, and the response with the fewest tokens is the newest', () => {
  const model = createBucketModel();
  observe(model, [answer('served', 8, at(0))]);
  const answered = [1000, 1001, 1002].map((sentAt) => model.sending(sentAt));
  const tokens = [6.0, 8.0, 7.0];
  answered.forEach((report, index) => {
    report(answer('served', tokens[index] ?? 0, { sentAt: 1000 + index, receivedAt: 1010 + index }));
  });
  expect(model.report).toEqual({ checked: 3, mismatches: [] });
  expect(model.tokensAt(1012)).toBeCloseTo(6, 1);
});

test('a changed limit is detected and is not a mismatch', () => {
  const model = createBucketModel();
  observe(model, [
    answer('served', 7, at(0)),
    answer('served', 27, at(1000), { capacity: 30, refillPerMs: 0.003 }),
    answer('served', 29, at(2000), { capacity: 30, refillPerMs: 0.003 }),
  ]);
  expect(model.report).toEqual({ checked: 1, mismatches: [] });
  expect(model.limit?.capacity).toBe(30);
});

test('a request spends its cost, and a refusal means only that the bucket held less than the cost', () => {
  const model = createBucketModel();
  model.sending(0, 3)(answer('served', 6, at(0)));
  model.sending(100, 4)(answer('served', 2.1, at(100)));
  model.sending(200, 5)(answer('throttled', 0, at(200)));
  expect(model.report.mismatches).toEqual([]);
  expect(model.tokensAt(204)).toBeCloseTo(2.2);
  // The bucket held two tokens, so another client took them.
  model.sending(300, 1)(answer('throttled', 0, at(300)));
  expect(model.report.mismatches).toMatchObject([{ kind: 'less' }]);
});

test('the refusal of a cost above the capacity says nothing about the bucket', () => {
  const model = createBucketModel();
  model.sending(0)(answer('served', 8.5, at(0)));
  model.sending(100, capacity + 1)(answer('throttled', 0, at(100)));
  expect(model.report.mismatches).toEqual([]);
  expect(model.tokensAt(104)).toBeCloseTo(8.6);
});
