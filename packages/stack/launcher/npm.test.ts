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

const askRegistry = (registry: string) =>
  registryFailure({
    cwd: folder,
    timeoutMs: 500,
    env: { ...process.env, npm_config_registry: registry, npm_config_cache: join(folder, 'cache') },
  });

test('a registry that refuses connections is told within seconds', async () => {
  const begun = performance.now();
  expect(await askRegistry(`http://127.0.0.1:${await freePort()}`)).toBe('ECONNREFUSED');
  expect(performance.now() - begun).toBeLessThan(20_000);
});

test('a registry that never answers is given up', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  try {
    expect(await askRegistry(`http://127.0.0.1:${port}`)).toBeTruthy();
  } finally {
    server.close();
  }
});

test.skipIf(process.getuid?.() === 0)('npm gets a cache of ours when the user’s cannot be written', () => {
  chmodSync(folder, 0o555);
  const env = { npm_config_cache: join(folder, '.npm') };
  expect(npmEnvironment('/ours', env)).toEqual({ npm_config_cache: '/ours' });
});

test('npm keeps the user’s cache when it can be written', () => {
  const env = { npm_config_cache: join(folder, '.npm') };
  expect(npmEnvironment('/ours', env)).toBe(env);
});
