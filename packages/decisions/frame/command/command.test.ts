import { execFileSync } from 'node:child_process';
import type {} from '@minitickets/stack/test-stores';
import { expect, inject, test } from 'vitest';
import { experiments } from '../../experiments.ts';
import { repositoryRoot } from '../shipped-source.ts';
import { runCommand } from './command.ts';

async function command(args: string[], signal = new AbortController().signal) {
  const printed = { out: '', err: '', kept: [] as string[], stopped: false };
  const stores = {
    ...{ databaseUrl: inject('testAdminDatabaseUrl'), redisUrl: inject('testRedisUrl'), description: 'a test’s' },
    stop: async () => {
      printed.stopped = true;
    },
  };
  const code = await runCommand(args, {
    ...{ findStores: async () => stores, signal, colour: false },
    print: (text) => {
      printed.out += `${text}\n`;
    },
    printError: (text) => {
      printed.err += `${text}\n`;
    },
    keep: ({ experiment }) => printed.kept.push(experiment),
  });
  return { code, ...printed };
}

test('--list prints every experiment and its question without stores', async () => {
  const { code, out, stopped } = await command(['--list']);
  expect([code, stopped]).toEqual([0, false]);
  expect(out.trim().split('\n')).toHaveLength(experiments.length);
  expect(out).toMatch(/^atomic-or-not +Your limiter reads the tokens/m);
});

test('a proved run exits with 0, compares the prediction, and is stored', async () => {
  const { code, out, kept, stopped } = await command(['atomic-or-not', '--predict', '7']);
  expect([code, kept, stopped]).toEqual([0, ['atomic-or-not'], true]);
  expect(out).toContain('You predicted 7; the result is 30.');
  expect(out).toMatch(/of 30 concurrent calls, allowed +30 \(30\) ✖ +5 \(5\) ✔/);
  expect(out).toMatch(/^ *found \(expected\): .*\n *✔ keeps .* ✖ breaks it/m);
});

test('--json prints only JSON', async () => {
  const { out } = await command(['atomic-or-not', '--json']);
  expect(JSON.parse(out)).toMatchObject({ experiment: 'atomic-or-not', proved: true, arms: [{}, { name: 'shipped' }] });
});

test('an unproved run exits with 1 and the reason, and a mutation is not stored', async () => {
  const { code, out, kept } = await command(['atomic-or-not', '--mutated']);
  expect([code, kept]).toEqual([1, []]);
  expect(out).toContain('shipped: of 30 concurrent calls, allowed: found 30, stated 5');
});

test('an interrupted run exits with 130 and stops its stores', async () => {
  const { code, stopped } = await command(['--all'], AbortSignal.abort());
  expect([code, stopped]).toEqual([130, true]);
});

test.each([
  [[], 'Name one experiment.'],
  [['nonsense'], expect.stringMatching(/^There is no experiment nonsense: shared-policy, /)],
  [['whose-clock', 'atomic-or-not'], 'Name one experiment.'],
  [['--predict', 'many', 'whose-clock'], '--predict wants a number, not many.'],
  [['--quietly'], expect.stringContaining("Unknown option '--quietly'")],
])('%j exits with 2 and the usage', async (args, message) => {
  const { code, err, stopped } = await command(args);
  expect([code, stopped]).toEqual([2, false]);
  expect(err.split('\n')[0]).toEqual(message);
  expect(err).toContain('Usage: npm run experiment -- NAME');
});

test('npm run experiment runs an experiment', () => {
  const out = execFileSync('npm', ['run', '--silent', 'experiment', '--', '--list'], { cwd: repositoryRoot });
  expect(String(out)).toContain('never-oversell');
});
