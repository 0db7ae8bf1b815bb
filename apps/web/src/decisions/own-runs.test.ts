import { expect, test } from 'vitest';
import { createOwnRuns } from './own-runs.ts';

const memory = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  };
};

test('a run started in this tab is the reader’s own, even after a reload, and no other run is', () => {
  const store = memory();
  createOwnRuns(store).add('one');
  const reloaded = createOwnRuns(store);
  expect([reloaded.has('one'), reloaded.has('two')]).toEqual([true, false]);
});

test('only the newest fifty are remembered', () => {
  const own = createOwnRuns(memory());
  for (let n = 0; n <= 50; n++) own.add(`run-${n}`);
  expect([own.has('run-0'), own.has('run-1'), own.has('run-50')]).toEqual([false, true, true]);
});

test('without session storage, own runs are remembered until a reload', () => {
  const own = createOwnRuns({
    getItem: () => null,
    setItem: () => {
      throw new Error('forbidden');
    },
  });
  own.add('one');
  expect(own.has('one')).toBe(true);
});
