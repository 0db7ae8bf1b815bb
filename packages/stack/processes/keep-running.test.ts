import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPostgres } from '../stores/postgres.mjs';
import { startRedis } from '../stores/redis.mjs';
import { askRedis } from '../stores/resp.mjs';
import { keepRunning } from './keep-running.mjs';
import { endProcess, isRunning, waitUntil } from './processes.mjs';

let folder: string;
let kept: ReturnType<typeof keepRunning> | undefined;
const notes: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keep-running-'));
  notes.length = 0;
});
afterEach(async () => {
  await kept?.kill();
  kept = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const note = (line: string) => notes.push(line);
const crash = (pid: number) => endProcess(pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);

test('a Redis that dies is restarted on its port, and one line says so', async () => {
  const redis = await startRedis({ dataDir: folder });
  kept = keepRunning(redis, { name: 'Redis', note, checkIntervalMs: 50 });
  const { pid, url } = redis;
  await crash(pid);
  const isBack = async () => (await askRedis(url, 'PING').catch(() => '')) === '+PONG';
  expect(await waitUntil(isBack, 20_000)).toBe(true);
  expect(await waitUntil(() => redis.pid !== pid, 5000)).toBe(true);
  expect(notes).toEqual([expect.stringContaining('Redis ended (it was not asked to) and is restarted')]);
});

test('a PostgreSQL that dies is restarted with its data, and one line says so', async () => {
  const postgres = await startPostgres();
  kept = keepRunning(postgres, { name: 'PostgreSQL', note, checkIntervalMs: 50 });
  const ask = async (statement: string) => {
    const client = new Client({ connectionString: postgres.url, connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    await client.connect();
    return await client.query(statement).finally(() => client.end());
  };
  await ask('CREATE TABLE kept AS SELECT 1 AS one');
  const { pid } = postgres;
  await crash(pid);
  expect(await waitUntil(() => postgres.pid !== pid, 30_000)).toBe(true);
  expect((await ask('SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
  expect(notes).toEqual([expect.stringContaining('PostgreSQL ended (it was not asked to) and is restarted')]);
});

test('a store that was stopped on purpose is not restarted', async () => {
  const redis = await startRedis({ dataDir: folder });
  let reads = 0;
  const watched = {
    get pid() {
      reads += 1;
      return redis.pid;
    },
    get isWanted() {
      reads += 1;
      return redis.isWanted;
    },
    logFile: redis.logFile,
    restart: () => redis.restart(),
    stop: () => redis.stop(),
    kill: () => redis.kill(),
  };
  kept = keepRunning(watched, { name: 'Redis', note, checkIntervalMs: 20 });
  await redis.stop();
  const before = reads;
  expect(await waitUntil(() => reads > before + 10, 10_000)).toBe(true);
  expect(isRunning(redis.pid)).toBe(false);
  expect(notes).toEqual([]);
});
