import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from '../processes/failure.mjs';
import { findRedisProgram } from './find-redis.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-redis-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs a program that only prints this version line. */
function install(where: string, name: string, versionLine: string): string {
  const path = join(folder, where, name);
  mkdirSync(join(folder, where), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${versionLine}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const find = (env: NodeJS.ProcessEnv) =>
  findRedisProgram({ cacheDir: join(folder, 'cache'), folders: [], env: { MINITICKETS_NO_DOWNLOAD: '1', ...env } });

test.each([
  ['redis-server', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
  ['redis-server', 'Redis server v=8.2.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '8.2.1'],
  ['valkey-server', 'Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '8.0.1'],
])('a %s on the PATH is used: %s', async (name, versionLine, version) => {
  const path = install('bin', name, versionLine);
  expect(await find({ PATH: join(folder, 'bin') })).toMatchObject({ kind: 'binary', path, version, from: 'PATH' });
});

test.each(['Redis server v=6.2.14 sha=0', 'something else', ''])(
  'a server that prints the version "%s" is not used',
  async (versionLine) => {
    install('old', 'redis-server', versionLine);
    const path = install('new', 'redis-server', 'Redis server v=7.0.0 sha=0');
    expect(await find({ PATH: `${join(folder, 'old')}:${join(folder, 'new')}` })).toMatchObject({ path });
  },
);

test('the copy downloaded earlier is used when the PATH has no Redis', async () => {
  const path = install('cache/server/usr/bin', 'redis-server', 'Redis server v=7.0.15 sha=0');
  expect(await find({ PATH: '' })).toMatchObject({ kind: 'binary', path, from: 'the copy downloaded earlier' });
});

test('Docker is used when it responds and there is no other Redis', async () => {
  install('bin', 'docker', '28.2.2');
  expect(await find({ PATH: `${join(folder, 'bin')}:/bin` })).toMatchObject({ kind: 'docker', image: 'redis:8' });
});

test('without a Redis and with downloads disabled, the failure says what to install', async () => {
  const failure = await find({ PATH: join(folder, 'empty') }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ step: 'redis', fix: expect.stringMatching(/install|compose/) });
});
