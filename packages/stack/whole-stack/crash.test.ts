import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startStack } from '../launcher/stack.mjs';
import { endLeftovers, runningState } from '../launcher/state.mjs';
import { isRunning, waitUntil } from '../processes/processes.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { newCustomer } from '../testing/people.ts';
import { copyOfPreparedData } from './prepared-data.ts';

const dataDir = copyOfPreparedData();
afterAll(async () => {
  await endLeftovers(dataDir);
  removeData(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

test('a start after the launcher was killed stops the processes that it left, and keeps accounts and sessions', async () => {
  const program = `import(${JSON.stringify(new URL('../launcher/stack.mjs', import.meta.url).href)})
    .then(({ startStack }) => startStack({ dataDir: ${JSON.stringify(dataDir)}, tasks: 1 }))`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  expect(await waitUntil(async () => (await runningState(dataDir))?.url !== undefined, 60_000, 100)).toBe(true);
  const state = await runningState(dataDir);
  const customer = await newCustomer(state?.url ?? '');

  // A second launcher is rejected while the first one runs.
  await expect(startStack({ dataDir, tasks: 1 })).rejects.toMatchObject({ step: 'alreadyRunning' });
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
  const left = state?.processes.map(({ record }) => record?.pid ?? 0) ?? [];
  expect(left.map(isRunning)).toEqual([true, true]);

  const port = Number(new URL(state?.url ?? '').port);
  const stack = await startStack({ dataDir, tasks: 1, port });
  expect(left.map(isRunning)).toEqual([false, false]);
  expect(await (await customer.call('GET', '/v1/sessions/current')).json()).toEqual(customer.user);

  const pids = [...stack.tasks.map(({ pid }) => pid), stack.redis?.pid ?? 0, stack.postgres?.pid ?? 0];
  await stack.stop();
  expect(pids.map(isRunning)).toEqual([false, false, false]);
  expect(await runningState(dataDir)).toBeUndefined();
});
