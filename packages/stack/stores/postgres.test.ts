import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRunning } from '../processes/processes.mjs';
import { startPostgres } from './postgres.mjs';
import { removeCluster } from './postgres-binaries.mjs';

let folder: string;
let dataDir: string;
const cleanUp: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-postgres-'));
  // Root may have to start the server as nobody, which has no access to a private folder.
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'cluster');
});
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
  removeCluster(dataDir);
  rmSync(folder, { recursive: true });
});

async function start() {
  const postgres = await startPostgres({ dataDir, password: 'not a secret here', fsync: false });
  cleanUp.push(postgres.stop);
  return postgres;
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // A server that is killed breaks the connection; the query rejects as well.
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

const ready = [{ ready: 1 }];
const askReady = 'SELECT 1 AS ready';

test('committed data survives a stop and a crash', async () => {
  const first = await start();
  await ask(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  await first.stop();
  const second = await start();
  await ask(second.url, 'INSERT INTO kept VALUES (2)');
  await second.kill();
  const third = await start();
  expect(await ask(third.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('the next start stops a server whose launcher crashed', async () => {
  const orphan = await start();
  const next = await start();
  expect(isRunning(orphan.pid)).toBe(false);
  expect(await ask(next.url, askReady)).toEqual(ready);
});

test('a lock file whose pid another program has reused does not prevent a start, and that program keeps running', async () => {
  const first = await start();
  await first.stop();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  cleanUp.push(async () => {
    other.kill();
    await once(other, 'exit');
  });
  await once(other, 'spawn');
  writeFileSync(
    join(dataDir, 'postmaster.pid'),
    `${other.pid}\n${dataDir}\n1700000000\n5432\n\n127.0.0.1\n1 1\nready   \n`,
  );
  const second = await start();
  expect(await ask(second.url, askReady)).toEqual(ready);
  expect(isRunning(other.pid ?? 0)).toBe(true);
});

test('an interrupted creation of the cluster does not prevent a start', async () => {
  mkdirSync(join(dataDir, 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'base', 'half'), '');
  const { url } = await start();
  expect(await ask(url, askReady)).toEqual(ready);
});

test('a restart keeps the address and gets a new process', async () => {
  const postgres = await start();
  const { url, pid } = postgres;
  await postgres.restart();
  expect(postgres.pid).not.toBe(pid);
  expect(await ask(url, askReady)).toEqual(ready);
});

test('a wrong password is rejected', async () => {
  const { url } = await start();
  await expect(ask(url.replace('not%20a%20secret%20here', 'guessed'), askReady)).rejects.toThrow('password');
});

test('a failed start reports the end of the log', async () => {
  await (await start()).stop();
  writeFileSync(join(dataDir, 'postgresql.conf'), 'no_such_setting = 1\n');
  await expect(start()).rejects.toMatchObject({
    step: 'postgres',
    logFile: `${dataDir}.log`,
    lines: expect.arrayContaining([expect.stringContaining('no_such_setting')]),
  });
});

test.runIf(process.getuid?.() === 0)(
  'root without user namespaces runs the server as nobody, even for a private folder',
  async () => {
    chmodSync(folder, 0o700);
    vi.stubEnv('PATH', join(folder, 'empty')); // Hides unshare.
    const { url, pid } = await start();
    expect(await ask(url, askReady)).toEqual(ready);
    if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s65534/m);
  },
);

test('the log quotes no row of a failed statement, and only its owner can read it', async () => {
  const { url, logFile } = await start();
  await ask(url, 'CREATE TABLE people (email text UNIQUE)');
  const insert = `INSERT INTO people VALUES ('someone@example.test')`;
  await ask(url, insert);
  await expect(ask(url, insert)).rejects.toThrow('duplicate key');
  const log = readFileSync(logFile, 'utf8');
  expect(log).toContain('duplicate key');
  expect(log).not.toContain('someone@example.test');
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
});
