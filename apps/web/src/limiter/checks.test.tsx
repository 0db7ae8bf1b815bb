import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { createBucketRun } from './bucket-run.ts';
import { Checks } from './checks.tsx';
import type { Observation } from './observe.ts';

ownClock();

/** A response at this second, from a bucket of ten that has `left` tokens. */
const served = (second: number, left: number): Observation => ({
  sentAt: second * 1000,
  receivedAt: second * 1000 + 4,
  outcome: 'served',
  status: 200,
  task: 'task-1',
  bucket: { capacity: 10, refillPerMs: 0.001, exact: true, fullMs: (10 - left) * 1000 },
  retryAfterMs: undefined,
  degraded: undefined,
  refusedBy: undefined,
  problem: undefined,
});

/** Returns the verdicts that the two checks show after these responses. */
async function verdictsAfter(...answers: Observation[]) {
  const run = createBucketRun();
  for (const answer of answers) run.sending(answer.sentAt)(answer);
  await renderPart(
    <Checks summary={{ ...run.summary(), inFlight: 0, tasks: [], streaming: false, skipped: 0, last: [] }} />,
  );
  return screen
    .getAllByRole('listitem')
    .map((item) => item.querySelector('[data-verdict]')?.getAttribute('data-verdict'));
}

test('before the first request, neither check has a verdict', async () => {
  expect(await verdictsAfter()).toEqual(['none', 'none']);
  expect(screen.getAllByText(/^No data yet/)).toHaveLength(2);
});

test('one response checks the total, but has no earlier response to compare with', async () => {
  expect(await verdictsAfter(served(0, 9))).toEqual(['agrees', 'none']);
});

test('responses that agree with the model pass both checks', async () => {
  expect(await verdictsAfter(served(0, 7), served(1, 7))).toEqual(['agrees', 'agrees']);
});

test('a response that contradicts the model fails the second check', async () => {
  expect(await verdictsAfter(served(0, 7), served(1, 2))).toEqual(['agrees', 'differs']);
});
