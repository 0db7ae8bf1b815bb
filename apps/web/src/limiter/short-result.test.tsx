import { screen } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import { expect, test } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { createDrive, type Drive } from './drive.ts';
import type { Observation } from './observe.ts';
import { ShortResult } from './short-result.tsx';

const { pass } = ownClock();

function Shown({ drive }: { drive: Drive }) {
  return <ShortResult drive={drive} summary={useSyncExternalStore(drive.subscribe, drive.read)} />;
}

test('a burst is summarised beside its buttons: sent, served, refused, and the refilling tokens', async () => {
  let left = 3;
  const drive = createDrive(async (): Promise<Observation> => {
    const isServed = left > 0;
    if (isServed) left -= 1;
    return {
      sentAt: performance.now(),
      receivedAt: performance.now(),
      outcome: isServed ? 'served' : 'throttled',
      status: isServed ? 200 : 429,
      task: 'task-1',
      bucket: {
        capacity: 3,
        refillPerMs: 0.001,
        exact: isServed,
        fullMs: isServed ? (3 - left) * 1000 : undefined,
      },
      retryAfterMs: isServed ? undefined : 1000,
      degraded: undefined,
      refusedBy: undefined,
      problem: undefined,
    };
  });
  await renderPart(<Shown drive={drive} />);
  const result = screen.getByText(/sent:/);
  expect(result.textContent).toBe('0 sent: 0 served, 0 refused. Tokens now: –');
  drive.burst(5);
  await pass(500);
  expect(result.textContent).toMatch(/^5 sent: 3 served, 2 refused\. Tokens now: 0\.\d$/);
  await pass(10_000);
  expect(result.textContent).toMatch(/Tokens now: 3\.0$/);
});
