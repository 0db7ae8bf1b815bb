import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProcessRecord, recordOf } from '../processes/processes.mjs';
import { claim, endLeftovers, leftRunning, release, runningState, writeState } from './state.mjs';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Starts a process that runs until it is killed. */
async function startOther() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const record = await recordOf(child.pid ?? 0);
  if (!record) throw new Error('The other process is not there.');
  return { child, record, ended: once(child, 'exit') };
}

const gone: ProcessRecord = { pid: 1, born: 'long ago' };

test('a data folder belongs to one launcher at a time', async () => {
  await claim(dataDir);
  await expect(claim(dataDir)).rejects.toMatchObject({ step: 'alreadyRunning' });
  release(dataDir);
  await claim(dataDir);
});

test('of many concurrent starts exactly one gets the data folder', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => claim(dataDir)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('the parts that a crashed launcher left running are stopped', async () => {
  const other = await startOther();
  writeState(dataDir, { launcher: gone, processes: [{ name: 'task-1', record: other.record }] });
  expect(await endLeftovers(dataDir)).toEqual(['task-1']);
  expect(await other.ended).toEqual([null, 'SIGTERM']);
});

test('the parts that a crashed launcher left running are listed, with the URL that still responds, until they are stopped', async () => {
  const other = await startOther();
  const processes = [
    { name: 'balancer', record: other.record },
    { name: 'task-1', record: gone },
  ];
  writeState(dataDir, { launcher: gone, url: 'http://localhost:8080', processes });
  expect(await leftRunning(dataDir)).toEqual({ names: ['balancer'], url: 'http://localhost:8080' });
  await endLeftovers(dataDir);
  expect(await leftRunning(dataDir)).toBeUndefined();
});

test('the parts of a running launcher do not count as left over', async () => {
  await claim(dataDir);
  expect(await leftRunning(dataDir)).toBeUndefined();
});

test('an unrelated process that has reused the pid of a dead one is left alone', async () => {
  const other = await startOther();
  writeState(dataDir, { launcher: gone, processes: [{ name: 'task-1', record: { ...other.record, born: 'before' } }] });
  expect(await endLeftovers(dataDir)).toEqual([]);
  expect(other.child.exitCode).toBeNull();
  expect(other.child.signalCode).toBeNull();
  other.child.kill();
  await other.ended;
});

test('a launcher that has died does not count as running', async () => {
  writeState(dataDir, { launcher: gone, url: 'http://localhost:8080', processes: [] });
  expect(await runningState(dataDir)).toBeUndefined();
  await claim(dataDir);
});

test('only its owner can read the state file, which holds the password of the database', async () => {
  await claim(dataDir);
  expect(statSync(join(dataDir, 'state.json')).mode & 0o077).toBe(0);
});
