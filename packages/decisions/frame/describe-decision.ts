import type {} from '@minitickets/stack/test-stores';
import { describe, expect, inject, test } from 'vitest';
import { openArena } from './arena.ts';
import { readCard } from './card.ts';
import { reportDifferences } from './difference.ts';
import { type Experiment, runExperiment } from './experiment.ts';

/** Defines the tests that every decision must pass. */
export function describeDecision(experiment: Experiment) {
  describe(experiment.name, () => {
    test('the naive arms fail as stated and the shipped arm holds', async () => {
      const { proved, reasons } = await run(experiment);
      expect(reasons).toEqual([]);
      expect(proved).toBe(true);
    });

    test(`the mutation turns the verdict red: ${experiment.mutation.what}`, async () => {
      const { arms } = await run(experiment, { mutated: true });
      expect(arms.map(({ name, proved }) => ({ name, proved }))).toEqual([
        ...experiment.naive.map(({ name }) => ({ name, proved: true })),
        { name: 'shipped', proved: false },
      ]);
    });

    test.each(experiment.naive)('arm $name differs from the shipped one only in the lines in question', (arm) => {
      const changed = reportDifferences(arm.differences).map(({ changedLines }) => changedLines);
      const all = changed.reduce((sum, lines) => sum + lines, 0);
      expect(Math.min(...changed)).toBeGreaterThan(0);
      expect(all).toBeLessThanOrEqual(arm.mostChangedLines);
    });

    test('the number to guess is one that the experiment reports, and the expectation states it exactly', () => {
      const { arm: guessed, measure } = experiment.prediction;
      const arm = [...experiment.naive, experiment.shipped].find(({ name }) => name === guessed);
      expect(arm?.expected[measure]?.least).toBeTypeOf('number');
      expect(arm?.expected[measure]?.least).toBe(arm?.expected[measure]?.most);
    });

    test('the card is complete, and the code that it lists exists', () => {
      expect(readCard(experiment.name).code.length).toBeGreaterThan(0);
    });
  });
}

async function run(experiment: Experiment, options: { mutated?: boolean } = {}) {
  const stores = {
    databaseUrl: inject('testAdminDatabaseUrl'),
    redisUrl: inject('testRedisUrl'),
    description: 'of the test run',
  };
  const arena = openArena(stores);
  try {
    return await runExperiment(experiment, { arena, ...options });
  } finally {
    await arena.close();
  }
}
