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

/** A program that only says its version. */
function install(where: string, name: string, says: string): string {
  const path = join(folder, where, name);
  mkdirSync(join(folder, where), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const find = (env: NodeJS.ProcessEnv) =>
  findRedisProgram({ cacheDir: join(folder, 'cache'), folders: [], env: { MINITICKETS_NO_DOWNLOAD: '1', ...env } });

test.each([
  ['redis-server', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
  ['redis-server', 'Redis server v=8.2.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '8.2.1'],
  ['valkey-server', 'Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '8.0.1'],
])('a %s on the PATH is taken: %s', async (name, says, version) => {
  const path = install('bin', name, says);
  expect(await find({ PATH: join(folder, 'bin') })).toMatchObject({ kind: 'binary', path, version, from: 'PATH' });
});

test.each(['Redis server v=6.2.14 sha=0', 'something else', ''])(
  'a server that says "%s" is not used',
  async (says) => {
    install('old', 'redis-server', says);
    const path = install('new', 'redis-server', 'Redis server v=7.0.0 sha=0');
    expect(await find({ PATH: `${join(folder, 'old')}:${join(folder, 'new')}` })).toMatchObject({ path });
  },
);

test('the copy fetched earlier is used when the PATH has no Redis', async () => {
  const path = install('cache/server/usr/bin', 'redis-server', 'Redis server v=7.0.15 sha=0');
  expect(await find({ PATH: '' })).toMatchObject({ kind: 'binary', path, from: 'the copy fetched earlier' });
});

test('Docker is used when it responds and there is no other Redis', async () => {
  install('bin', 'docker', '28.2.2');
  expect(await find({ PATH: `${join(folder, 'bin')}:/bin` })).toMatchObject({ kind: 'docker', image: 'redis:8' });
});

test('without a Redis and with downloads forbidden, the failure says what to install', async () => {
  const failure = await find({ PATH: join(folder, 'empty') }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ step: 'redis', fix: expect.stringMatching(/install|compose/) });
});
