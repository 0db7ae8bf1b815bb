import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { createBucketRun } from './bucket-run.ts';
import { Checks } from './checks.tsx';
import type { Observation } from './observe.ts';

ownClock();

/** An answer to a request of a second, in which a bucket of ten told what it has left. */
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

/** What the two checks show beside their words, after these answers. */
async function verdictsAfter(...answers: Observation[]) {
  const run = createBucketRun();
  for (const answer of answers) run.sending(answer.sentAt)(answer);
  await renderPart(
    <Checks summary={{ ...run.summary(), inFlight: 0, tasks: [], streaming: false, leftOut: 0, last: [] }} />,
  );
  return screen
    .getAllByRole('listitem')
    .map((item) => item.querySelector('[data-verdict]')?.getAttribute('data-verdict'));
}

test('before anything was sent there is nothing to compare, and no tick', async () => {
  expect(await verdictsAfter()).toEqual(['none', 'none']);
  expect(screen.getAllByText(/^Nothing to compare yet/)).toHaveLength(2);
});

test('one answer has a total to compare, but none before it', async () => {
  expect(await verdictsAfter(served(0, 9))).toEqual(['agrees', 'none']);
});

test('answers that agree are ticked', async () => {
  expect(await verdictsAfter(served(0, 7), served(1, 7))).toEqual(['agrees', 'agrees']);
});

test('an answer that differs is no tick', async () => {
  expect(await verdictsAfter(served(0, 7), served(1, 2))).toEqual(['agrees', 'differs']);
});
