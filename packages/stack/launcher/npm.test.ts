import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../processes/ports.mjs';
import { npmEnvironment, registryFailure } from './npm.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const askRegistry = (registry: string, timeoutMs: number) =>
  registryFailure({
    cwd: folder,
    timeoutMs,
    env: { ...process.env, npm_config_registry: registry, npm_config_cache: join(folder, 'cache') },
  });

test('a registry that refuses connections is reported as such, without waiting for the timeout', async () => {
  expect(await askRegistry(`http://127.0.0.1:${await freePort()}`, 30_000)).toBe('ECONNREFUSED');
});

test('waiting for a registry that never responds times out', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  try {
    expect(await askRegistry(`http://127.0.0.1:${port}`, 500)).toBeTruthy();
  } finally {
    server.close();
  }
});

test.skipIf(process.getuid?.() === 0)('npm gets the fallback cache when the user’s is not writable', () => {
  chmodSync(folder, 0o555);
  const env = { npm_config_cache: join(folder, '.npm') };
  expect(npmEnvironment('/fallback', env)).toEqual({ npm_config_cache: '/fallback' });
});

test('npm keeps the user’s cache when it is writable', () => {
  const env = { npm_config_cache: join(folder, '.npm') };
  expect(npmEnvironment('/fallback', env)).toBe(env);
});
