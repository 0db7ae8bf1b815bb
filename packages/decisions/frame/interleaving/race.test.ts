import { expect, test } from 'vitest';
import { type Racer, recordSteps } from './race.ts';

const nothingToSee = { look: async () => ({ row: {}, locks: [] }), isBlocked: async () => false };

const counting = (name: string, turns: number): Racer => ({
  name,
  async run(takeTurn) {
    for (let turn = 1; turn <= turns; turn++) await takeTurn({ what: `turn ${turn}`, perform: async () => 'done' });
  },
});

test('two requests alternate, and the longer one finishes alone', async () => {
  const steps = await recordSteps([counting('A', 1), counting('B', 3)], nothingToSee);
  expect(steps.map(({ actor, what }) => `${actor} ${what}`)).toEqual(['A turn 1', 'B turn 1', 'B turn 2', 'B turn 3']);
});

test('a request that waits for a lock is skipped and resumes when the lock is released', async () => {
  let release = () => {};
  const lock = new Promise<void>((resolve) => {
    release = resolve;
  });
  let blocked = false;
  const holder: Racer = {
    name: 'A',
    async run(takeTurn) {
      await takeTurn({ what: 'locks', perform: async () => 'locked' });
      await takeTurn({ what: 'writes', perform: async () => 'written' });
      await takeTurn({
        what: 'commits',
        async perform() {
          blocked = false;
          release();
          return 'committed';
        },
        releases: true,
      });
    },
  };
  const waiter: Racer = {
    name: 'B',
    async run(takeTurn) {
      await takeTurn({
        what: 'locks',
        async perform() {
          blocked = true;
          await lock;
          return 'locked';
        },
      });
    },
  };
  const steps = await recordSteps([holder, waiter], { ...nothingToSee, isBlocked: async () => blocked });
  expect(steps.map(({ actor, what, result, waiting }) => [actor, what, result ?? (waiting ? 'waits' : '')])).toEqual([
    ['A', 'locks', 'locked'],
    ['B', 'locks', 'waits'],
    ['A', 'writes', 'written'],
    ['A', 'commits', 'committed'],
    ['B', 'gets the lock and goes on', 'locked'],
  ]);
});

test('a failing request fails the recording', async () => {
  const failing: Racer = { name: 'A', run: async () => Promise.reject(new Error('no database')) };
  await expect(recordSteps([failing], nothingToSee)).rejects.toThrow('no database');
});
