import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRunning } from '../processes/processes.mjs';
import { startRedis, urlOf } from './redis.mjs';
import { redisUsers } from './redis-users.mjs';
import { askRedis } from './resp.mjs';

let dataDir: string;
const cleanUp: (() => Promise<void>)[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kept-redis-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of cleanUp.splice(0)) await end();
  rmSync(dataDir, { recursive: true });
});

async function start(options: Parameters<typeof startRedis>[0]) {
  const redis = await startRedis(options);
  cleanUp.push(redis.stop);
  return redis;
}

test('Redis listens on the loopback only, and is ready when startRedis resolves', async () => {
  const { url, port } = await start({ dataDir });
  expect(await askRedis(url, 'PING')).toBe('+PONG');
  expect(await askRedis(url, 'CONFIG GET bind')).toBe('*2');
  await expect(startRedis({ port })).rejects.toThrow('Redis did not start');
});

test('a stop saves the data of a persistent Redis', async () => {
  const first = await start({ dataDir });
  await askRedis(first.url, 'SET session alive');
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);
  const second = await start({ dataDir });
  expect(await askRedis(second.url, 'STRLEN session')).toBe(':5');
});

test('unsaved data is lost in a crash', async () => {
  const first = await start({ dataDir });
  await askRedis(first.url, 'SET session alive');
  await first.kill();
  const second = await start({ dataDir });
  expect(await askRedis(second.url, 'EXISTS session')).toBe(':0');
});

test('the next start stops a server whose launcher crashed, and keeps its data', async () => {
  const orphan = await start({ dataDir });
  await askRedis(orphan.url, 'SET session alive');
  const next = await start({ dataDir });
  expect(isRunning(orphan.pid)).toBe(false);
  expect(await askRedis(next.url, 'STRLEN session')).toBe(':5');
});

test('an unreadable dump is moved aside, and Redis starts empty', async () => {
  writeFileSync(join(dataDir, 'dump.rdb'), 'REDIS9999 of some later version');
  const notes: string[] = [];
  const { url } = await start({ dataDir, log: (line) => notes.push(line) });
  expect(await askRedis(url, 'DBSIZE')).toBe(':0');
  expect(readdirSync(dataDir)).toContain('dump.rdb.unreadable');
  expect(notes).toHaveLength(1);
});

test('a temporary Redis saves no data and leaves no folder', async () => {
  // A separate folder for temporary files, because other tests use the common one at the same time.
  vi.stubEnv('TMPDIR', dataDir);
  const { url, stop } = await startRedis();
  expect(readdirSync(dataDir)).toHaveLength(1);
  await askRedis(url, 'SET a b');
  await stop();
  expect(readdirSync(dataDir)).toEqual([]);
});

test('with users, everyone else is rejected, each user has access to its own keys only, and no file exposes a password', async () => {
  const users = redisUsers({ owner: 'one', api: 'two', lab: 'three' });
  const { port, url } = await start({ dataDir, users });
  const as = (user: number, command: string) => askRedis(urlOf(port, users[user]), command);
  expect(await askRedis(urlOf(port), 'PING')).toMatch(/^-NOAUTH/);
  expect(await askRedis(url.replace('one', 'wrong'), 'PING')).toMatch(/^-WRONGPASS/);

  expect(await as(1, 'SET mt:session alive')).toBe('+OK');
  expect(await as(1, 'SET experiment:1:key value')).toMatch(/^-NOPERM/);
  expect(await as(2, 'GET mt:session')).toMatch(/^-NOPERM/);
  expect(await as(2, 'SET experiment:1:key value')).toBe('+OK');
  expect(await as(2, 'CLIENT PAUSE 1')).toBe('+OK');
  for (const command of ['FLUSHALL', 'CONFIG SET maxmemory 1', 'SHUTDOWN', 'ACL LIST', 'CLIENT KILL TYPE normal'])
    expect([await as(1, command), await as(2, command)]).toEqual(Array(2).fill(expect.stringMatching(/^-NOPERM/)));

  for (const file of ['users.acl', 'server.json']) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, 'users.acl'), 'utf8')).not.toMatch(/two|three/);
});

test('the default user stays out after a reload of the users, and keeps the rights to replay an append-only file', async () => {
  const { port, url } = await start({ dataDir, users: redisUsers({ owner: 'one', api: 'two', lab: 'three' }) });
  for (const change of ['ACL LOAD', 'ACL SETUSER default on', 'ACL LOAD']) {
    expect(await askRedis(url, change)).toBe('+OK');
    expect(await askRedis(urlOf(port), 'PING')).toMatch(/^-NOAUTH/);
  }
  expect(await askRedis(url, 'ACL DRYRUN default SET any value')).toBe('+OK');
});

test('data of a Redis with users survives a crash of the launcher', async () => {
  const users = redisUsers({ owner: 'one', api: 'two', lab: 'three' });
  const orphan = await startRedis({ dataDir, users });
  await askRedis(orphan.url, 'SET session alive');
  const next = await start({ dataDir, users });
  expect(isRunning(orphan.pid)).toBe(false);
  expect(await askRedis(next.url, 'STRLEN session')).toBe(':5');
});
