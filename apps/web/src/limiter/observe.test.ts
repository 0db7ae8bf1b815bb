import type { PlaygroundPolicy } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { readObservation } from './observe.ts';

const times = { sentAt: 1000, receivedAt: 1004 };
const playground = { 'ratelimit-policy': '"playground";q=10;w=10', 'x-served-by': 'task-2' };

const answer = (status: number, body: unknown, headers: Record<string, string>) =>
  readObservation(body, new Response(JSON.stringify(body), { status, headers }), times);

test('a served response yields the exact rate even where the policy header’s seconds are rounded', () => {
  // 7 tokens at 2 per second: full after 3.5 s, which the policy header rounds to 4.
  const { bucket, outcome, task } = answer(
    200,
    { remaining: 3, nextTokenMs: 500, fullMs: 2000 },
    { ...playground, 'ratelimit-policy': '"playground";q=7;w=4' },
  );
  expect({ outcome, task }).toEqual({ outcome: 'served', task: 'task-2' });
  expect(bucket).toEqual({ capacity: 7, refillPerMs: 0.002, exact: true, fullMs: 2000 });
});

test('a response that took the first token of a full bucket yields only the policy header’s rate', () => {
  const { bucket } = answer(200, { remaining: 9, nextTokenMs: 1000, fullMs: 1000 }, playground);
  expect(bucket).toEqual({ capacity: 10, refillPerMs: 0.001, exact: false, fullMs: 1000 });
});

test('a refusal and a ban are distinguished, and both say how long to wait', () => {
  const refused = { ...playground, 'retry-after': '3' };
  expect(answer(429, { error: 'rate_limited' }, refused)).toMatchObject({ outcome: 'throttled', retryAfterMs: 3000 });
  expect(answer(429, { error: 'suppressed' }, refused)).toMatchObject({ outcome: 'suppressed', retryAfterMs: 3000 });
});

test('a cost above the capacity is a refusal by the limiter without a wait', () => {
  const { outcome, retryAfterMs, problem } = answer(422, { error: 'cost_above_capacity' }, playground);
  expect({ outcome, retryAfterMs, problem }).toEqual({
    outcome: 'throttled',
    retryAfterMs: undefined,
    problem: undefined,
  });
});

test('a refusal by the API key’s own limit says nothing about the playground’s bucket', () => {
  const { bucket, refusedBy, outcome } = answer(
    429,
    { error: 'rate_limited' },
    { 'ratelimit-policy': '"api-key";q=60;w=6', 'retry-after': '1' },
  );
  expect({ bucket, refusedBy, outcome }).toEqual({ bucket: undefined, refusedBy: 'api-key', outcome: 'throttled' });
});

test('a failure other than the limiter’s counts as neither served nor refused', () => {
  const problem = { error: 'store_unavailable', title: 'A dependency is unavailable' };
  const { outcome, problem: read } = answer(503, problem, { 'retry-after': '1' });
  expect(outcome).toBe('unanswered');
  expect(read?.code).toBe('store_unavailable');
  expect(answer(502, '<html>', {}).problem?.code).toBe('unreadable_answer');
});

test('of several policies, the requested one is read and not another with the same prefix', () => {
  const policies = '"api-key";q=60;w=6, "playground-open";q=10;w=10';
  const refused = new Response('{}', { status: 429, headers: { 'ratelimit-policy': policies } });
  const read = (policy: PlaygroundPolicy) => readObservation({}, refused, times, policy);
  expect(read('playground-open').bucket?.capacity).toBe(10);
  expect(read('playground').bucket).toBeUndefined();
});
