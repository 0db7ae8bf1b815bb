import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository, type Stack, startStack } from '../launcher/stack.mjs';
import { runningState } from '../launcher/state.mjs';
import { isRunning } from '../processes/processes.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { copyOfPreparedData } from './prepared-data.ts';

/** A copy of the sources, because the other tests use this repository meanwhile. */
const root = mkdtempSync(join(tmpdir(), 'minitickets-dev-'));
const dataDir = copyOfPreparedData();
let stack: Stack;
beforeAll(async () => {
  const generated = new Set(['node_modules', 'dist', '.data', '.git']);
  const filter = (path: string) => !generated.has(basename(path));
  for (const name of readdirSync(repository))
    if (filter(name)) cpSync(join(repository, name), join(root, name), { recursive: true, filter });
  for (const packages of ['node_modules', 'apps/api/node_modules'])
    symlinkSync(join(repository, packages), join(root, packages));
  stack = await startStack({ root, dataDir, durable: false, host: '127.0.0.1', tasks: 1, fromSources: true });
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  removeData(dataDir);
  for (const folder of [root, dataDir]) rmSync(folder, { recursive: true, force: true });
}, 60_000);

function replaceIn(file: string, before: string, after: string) {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toContain(before);
  writeFileSync(join(root, file), text.replaceAll(before, after));
}

/** The text of a response; while a task restarts, that of an error. */
const textAt = async (path: string) => (await fetch(stack.url + path, { signal: AbortSignal.timeout(20_000) })).text();

test('while the sources run, a saved source of the API or of a page is served without a restart by hand', async () => {
  const routes = 'apps/api/src/routes/health.ts';
  const page = 'apps/web/src/pages/not-found.tsx';
  const [task] = stack.tasks;
  const first = task?.pid ?? 0;
  expect(await textAt('/health/live')).not.toContain('reloaded');
  expect(await textAt(`/${page.slice('apps/web/'.length)}`)).toContain('may be mistyped');

  replaceIn(routes, "'live'", "'reloaded'");
  await expect.poll(() => textAt('/health/live'), { timeout: 60_000 }).toContain('reloaded');
  expect(task?.pid).not.toBe(first);
  replaceIn(page, 'may be mistyped', 'may be reloaded');
  await expect
    .poll(() => textAt(`/${page.slice('apps/web/'.length)}`), { timeout: 60_000 })
    .toContain('may be reloaded');

  const pids = (await runningState(dataDir))?.processes.map(({ record }) => record?.pid ?? 0) ?? [];
  expect(pids).toHaveLength(3);
  await stack.stop();
  expect(pids.filter(isRunning)).toEqual([]);
});
