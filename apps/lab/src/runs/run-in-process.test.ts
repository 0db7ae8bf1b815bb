import { isRunning } from '@minitickets/stack/processes';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import type { Here } from '../testing/odd-experiments.ts';
import { startLab } from '../testing/test-lab.ts';

/** Which parts of a run exist: its process, its database, its key. */
async function presentOf({ pid, database, key }: Here) {
  const admin = new pg.Client(inject('testAdminDatabaseUrl'));
  const redis = new Redis(inject('testRedisUrl'));
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [database]);
    return { process: isRunning(pid), databases: rowCount, keys: await redis.exists(key) };
  } finally {
    redis.disconnect();
    await admin.end();
  }
}

const all = { process: true, databases: 1, keys: 1 };
const nothing = { process: false, databases: 0, keys: 0 };

test('a successful run has a result, and its last event is its final status', async () => {
  const lab = await startLab();
  const { id } = await lab.add('plain');
  const received = await lab.untilEnded(id);
  expect(received.at(-1)).toMatchObject({ event: 'run', data: await lab.find(id) });
  expect(await lab.find(id)).toMatchObject({ status: 'finished', proved: true, result: { experiment: 'plain' } });
  const kinds = received.filter(({ event }) => event === 'experiment').map(({ data }) => data.kind);
  const arm = ['arm-begin', 'request', 'arm-end'];
  expect(kinds).toEqual(['begin', ...arm, ...arm, 'end']);
});

test('a cancelled run leaves no process, no database and no key', async () => {
  const lab = await startLab();
  const { id } = await lab.add('furnished');
  const here = await lab.untilHere(id);
  expect(await presentOf(here)).toEqual(all);
  expect(await lab.cancel(id)).toMatchObject({ status: 'cancelled', failure: null });
  expect(await presentOf(here)).toEqual(nothing);
});

test('a run whose process is killed fails and leaves nothing, and the lab runs the next one', async () => {
  const lab = await startLab();
  const [{ id }, next] = [await lab.add('furnished'), await lab.add('plain')];
  const here = await lab.untilHere(id);
  process.kill(here.pid, 'SIGKILL');
  const failure = 'The process of the run ended early (SIGKILL).';
  expect((await lab.untilEnded(id)).at(-1)?.data).toMatchObject({ status: 'failed', proved: null, failure });
  expect(await presentOf(here)).toEqual(nothing);
  expect((await lab.untilEnded(next.id)).at(-1)?.data).toMatchObject({ status: 'finished' });
});

test('a run that ignores its cancellation is killed', async () => {
  const lab = await startLab();
  const { id } = await lab.add('deaf');
  const { pid } = await lab.untilHere(id);
  expect(await lab.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect(isRunning(pid)).toBe(false);
});

test('a run that exceeds its deadline fails and leaves nothing', async () => {
  const late = new AbortController();
  const lab = await startLab({ runDeadline: () => late.signal });
  const { id } = await lab.add('furnished');
  const here = await lab.untilHere(id);
  late.abort();
  const failure = 'The run exceeded its time limit.';
  expect((await lab.untilEnded(id)).at(-1)?.data).toMatchObject({ status: 'failed', failure });
  expect(await presentOf(here)).toEqual(nothing);
});

test.each([
  ['exiting', 'The process of the run ended early (exit code 7).'],
  ['uncaught', 'The process of the run ended early (exit code 1).'],
  ['throwing', 'the arm fell off'],
])('a run that ends by %s fails with a reason and without a stack trace', async (experiment, failure) => {
  const lab = await startLab();
  const { id } = await lab.add(experiment);
  await lab.untilEnded(id);
  expect(await lab.find(id)).toMatchObject({ status: 'failed', proved: null, result: null, failure });
});

test('the events of a verbose run are sampled, and its verdict is complete', async () => {
  const lab = await startLab();
  const { id } = await lab.add('chatty');
  await lab.untilEnded(id);
  const received = await lab.untilEnded(id);
  expect(received.length).toBeLessThan(2_100);
  expect(received.map(({ event }) => event)).toContain('thinned');
  expect(received.filter(({ data }) => data.kind === 'level' && data.value === 10_000)).toHaveLength(2);
  expect(await lab.find(id)).toMatchObject({ status: 'finished', proved: true });
});
