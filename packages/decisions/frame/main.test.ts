import { execFile } from 'node:child_process';
import type {} from '@minitickets/stack/test-stores';
import { expect, inject, test } from 'vitest';
import { experiments } from '../experiments.ts';
import { repositoryRoot } from './shipped-source.ts';

/** Runs the command as `npm run experiment` does, on the stores of the tests. */
async function experiment(...args: string[]) {
  const env = { ...process.env, DATABASE_URL: inject('testAdminDatabaseUrl'), REDIS_URL: inject('testRedisUrl') };
  const command = ['--conditions=development', '--import', 'tsx', 'packages/decisions/frame/main.ts', ...args];
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, command, { cwd: repositoryRoot, env, timeout: 25_000 }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    );
  });
}

test('the list names every experiment and its question', async () => {
  const { code, out } = await experiment('--list');
  expect(code).toBe(0);
  expect(out.trim().split('\n')).toHaveLength(experiments.length);
  expect(out).toMatch(/^atomic-or-not +Your limiter reads the tokens/m);
});

test('what is proved ends with 0, as a table or as JSON', async () => {
  const { code, out } = await experiment('atomic-or-not', '--predict', '7');
  expect(code).toBe(0);
  expect(out).toContain('You said 7; it was 30.');
  expect(out).toMatch(/let through of 30 at the same moment +30 ✖ +5 ✔/);
  const asJson = await experiment('atomic-or-not', '--json');
  expect(JSON.parse(asJson.out)).toMatchObject({ experiment: 'atomic-or-not', proved: true });
});

test('what is not proved ends with 1, and says why', async () => {
  const { code, out } = await experiment('atomic-or-not', '--mutated');
  expect(code).toBe(1);
  expect(out).toContain('shipped: let through of 30 at the same moment: found 30, stated 5');
});

test('a wrong command line ends with 2, and says what could be asked', async () => {
  const wrong = await Promise.all([
    experiment(),
    experiment('nonsense'),
    experiment('--predict', 'many', 'whose-clock'),
  ]);
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(wrong.map(({ err }) => err.split('\n')[0])).toEqual([
    'Name one experiment.',
    expect.stringMatching(/^There is no experiment nonsense: shared-policy, /),
    '--predict wants a number, not many.',
  ]);
});
