import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRunning } from '../processes/processes.mjs';
import { startRedis } from './redis.mjs';
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

test('it listens on the loopback only, and is ready when it is handed over', async () => {
  const { port } = await start({ dataDir });
  expect(await askRedis(port, 'PING')).toBe('+PONG');
  expect(await askRedis(port, 'CONFIG GET bind')).toBe('*2');
  await expect(startRedis({ port })).rejects.toThrow('Redis did not start');
});

test('what is kept survives a stop', async () => {
  const first = await start({ dataDir });
  await askRedis(first.port, 'SET session alive');
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);
  const second = await start({ dataDir });
  expect(await askRedis(second.port, 'STRLEN session')).toBe(':5');
});

test('what was not saved is lost in a crash', async () => {
  const first = await start({ dataDir });
  await askRedis(first.port, 'SET session alive');
  await first.kill();
  const second = await start({ dataDir });
  expect(await askRedis(second.port, 'EXISTS session')).toBe(':0');
});

test('a server whose launcher crashed is ended by the next start, and its data are kept', async () => {
  const orphan = await start({ dataDir });
  await askRedis(orphan.port, 'SET session alive');
  const next = await start({ dataDir });
  expect(isRunning(orphan.pid)).toBe(false);
  expect(await askRedis(next.port, 'STRLEN session')).toBe(':5');
});

test('data that it cannot read are set aside, and it starts without', async () => {
  writeFileSync(join(dataDir, 'dump.rdb'), 'REDIS9999 of some later version');
  const notes: string[] = [];
  const { port } = await start({ dataDir, log: (line) => notes.push(line) });
  expect(await askRedis(port, 'DBSIZE')).toBe(':0');
  expect(readdirSync(dataDir)).toContain('dump.rdb.unreadable');
  expect(notes).toHaveLength(1);
});

test('one that is not kept writes no data and leaves no folder', async () => {
  // A folder for temporary files of its own: others make and remove theirs in the common one at the same time.
  vi.stubEnv('TMPDIR', dataDir);
  const { port, stop } = await startRedis();
  expect(readdirSync(dataDir)).toHaveLength(1);
  await askRedis(port, 'SET a b');
  await stop();
  expect(readdirSync(dataDir)).toEqual([]);
});
