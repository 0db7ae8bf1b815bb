import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChromium } from './find-chromium.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-chromium-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs a program that exits with this code. */
function install(path: string, exitCode = 0) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
  return file;
}

const find = (env: NodeJS.ProcessEnv) =>
  findChromium({ cacheDir: join(folder, 'cache'), paths: [], env: { MINITICKETS_NO_DOWNLOAD: '1', ...env } });

test('CHROMIUM_PATH comes before an installed browser', async () => {
  install('bin/chromium');
  const path = install('mine/browser');
  expect(await find({ PATH: join(folder, 'bin'), CHROMIUM_PATH: path })).toMatchObject({ path });
});

test('a CHROMIUM_PATH that is not a browser is an error, even if another browser is installed', async () => {
  install('bin/chromium');
  const env = { PATH: join(folder, 'bin'), CHROMIUM_PATH: join(folder, 'none') };
  await expect(find(env)).rejects.toThrow('CHROMIUM_PATH');
});

test('an installed stub that does not run, like that of a missing snap, is skipped', async () => {
  install('stub/chromium-browser', 1);
  const path = install('bin/google-chrome');
  expect(await find({ PATH: `${join(folder, 'stub')}:${join(folder, 'bin')}` })).toMatchObject({ path });
});

test('the copy downloaded earlier runs with its own libraries', async () => {
  const path = install('cache/143.0.4/chromium');
  const env = { LD_LIBRARY_PATH: join(folder, 'cache/143.0.4/lib') };
  expect(await find({ PATH: '' })).toMatchObject({ path, env });
});

test('without an installed browser, and with downloads disabled, none is found', async () => {
  expect(await find({ PATH: '' })).toBeUndefined();
});
