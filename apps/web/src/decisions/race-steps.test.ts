import { expect, test } from 'vitest';
import type { ShownRace } from './content.ts';
import { isWaiting, lockWords, rowAt, stepSentence } from './race-steps.ts';

const step = (actor: string, what: string, held: number | null, more: { waiting?: boolean; result?: string } = {}) => ({
  ...{ actor, what, statement: [], locks: [], row: { held, capacity: 1 } },
  ...more,
});
const race: ShownRace = {
  ...{ decision: 'never-oversell', arm: 'shipped', title: 'Locks first', recordedAt: '2026-01-01T00:00:00Z' },
  stores: 'PostgreSQL',
  actors: [
    { name: 'A', what: 'wants the last ticket' },
    { name: 'B', what: 'wants it too' },
  ],
  steps: [
    step('A', 'locks the event', 0, { result: 'on sale' }),
    step('B', 'asks for the lock', 0, { waiting: true }),
    step('A', 'commits', 1, { result: 'committed' }),
    step('B', 'goes on', 1, { result: 'on sale' }),
  ],
  ending: 'One ticket is sold.',
};

test('an actor waits until its own statement returns, whatever others do meanwhile', () => {
  const waits = (actor: string) => race.steps.map((_, at) => isWaiting(race, at, actor));
  expect(waits('A')).toEqual([false, false, false, false]);
  expect(waits('B')).toEqual([false, true, true, false]);
});

test('a column is marked as changed when its value differs from the previous step', () => {
  const changed = (at: number) =>
    rowAt(race, at)
      .filter((one) => one.changed)
      .map(({ name }) => name);
  expect([0, 1, 2, 3].map(changed)).toEqual([[], [], ['held'], []]);
});

test('a null column is shown as "none"', () => {
  expect(rowAt({ ...race, steps: [step('A', 'looks', null)] }, 0)[0]).toMatchObject({ name: 'held', value: 'none' });
});

test('a step is described with its result, or with the wait for a lock', () => {
  expect(race.steps.slice(0, 2).map(stepSentence)).toEqual([
    'A locks the event. Result: on sale.',
    'B asks for the lock. It waits for a lock.',
  ]);
});

test.each([
  ['relation', 'RowShareLock', 'events', true, 'intends to lock rows of events', 'RowShareLock'],
  ['relation', 'RowExclusiveLock', 'ticket_types', true, 'writes rows of ticket_types', 'RowExclusiveLock'],
  // Not the row lock itself, which the other transaction holds.
  [
    'tuple',
    'ExclusiveLock',
    'events',
    true,
    'is first in the queue for the row of events',
    'ExclusiveLock on the tuple',
  ],
  ['tuple', 'ExclusiveLock', 'events', false, 'is queued for the row of events', 'ExclusiveLock on the tuple'],
  ['transaction', 'ShareLock', null, false, 'waits until the other transaction ends', 'ShareLock on its transactionid'],
] as const)(
  'a lock on a %s, %s, of %s, granted: %s, is described by its meaning',
  (kind, mode, on, granted, words, name) => {
    expect(lockWords({ actor: 'B', kind, mode, on, granted })).toEqual({ words, name });
  },
);
