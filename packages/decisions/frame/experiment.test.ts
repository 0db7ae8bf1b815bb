import type {} from '@minitickets/stack/test-stores';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openArena, type Stage } from './arena.ts';
import type { ExperimentEvent } from './events.ts';
import { defineExperiment, runExperiment } from './experiment.ts';
import { exactly } from './results.ts';

/** Counts to the number that is its subject, in Redis. */
const counting = (run = count) =>
  defineExperiment<number, 'counted'>({
    name: 'counting',
    claim: 'It counts.',
    load: 'Counts.',
    measures: { counted: 'what was counted to' },
    naive: {
      short: { what: 'too short', subject: 2, differences: [], mostChangedLines: 0, fails: { counted: exactly(2) } },
    },
    shipped: { what: 'as far as it should', subject: 3, holds: { counted: exactly(3) } },
    mutation: { what: 'too far', subject: 4 },
    prediction: { question: 'How far?', arm: 'short', measure: 'counted' },
    run,
  });

async function count(stage: Stage, far: number) {
  const redis = await stage.connectRedis();
  for (let n = 0; n < far; n += 1) await redis.incr('counted');
  stage.emit({ kind: 'request', actor: 'counter', outcome: 'served' });
  return { counted: Number(await redis.get('counted')) };
}

const stores = () => ({
  databaseUrl: inject('testAdminDatabaseUrl'),
  redisUrl: inject('testRedisUrl'),
  description: 'a test’s',
});

async function inAnArena<Result>(use: (arena: ReturnType<typeof openArena>) => Promise<Result>) {
  const arena = openArena(stores());
  try {
    return await use(arena);
  } finally {
    await arena.close();
  }
}

test('arms run sequentially, each with its own keys, and emit their events in order', async () => {
  const events: ExperimentEvent[] = [];
  const emit = (event: ExperimentEvent) => void events.push(event);
  const result = await inAnArena((arena) => runExperiment(counting(), { arena, emit, predicted: 5 }));
  expect(events.map((event) => ('arm' in event ? `${event.kind} ${event.arm}` : event.kind))).toEqual([
    'begin',
    ...['arm-begin short', 'request short', 'arm-end short'],
    ...['arm-begin shipped', 'request shipped', 'arm-end shipped'],
    'end',
  ]);
  expect(result).toMatchObject({
    proved: true,
    prediction: { question: 'How far?', predicted: 5, found: 2 },
    arms: [
      { name: 'short', measures: [{ found: 2 }] },
      { name: 'shipped', measures: [{ found: 3 }] },
    ],
  });
  expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(events.at(-1)))?.result);
});

test('the mutation runs instead of the shipped arm', async () => {
  const result = await inAnArena((arena) => runExperiment(counting(), { arena, mutated: true }));
  expect(result.reasons).toEqual(['shipped: what was counted to: found 4, stated 3']);
});

test('an aborted run rejects with the reason, whatever its arm is waiting for', async () => {
  const abort = new AbortController();
  const stuck = async (): Promise<{ counted: number }> => {
    abort.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const run = inAnArena((arena) => runExperiment(counting(stuck), { arena, signal: abort.signal }));
  await expect(run).rejects.toThrow('enough');
});

test('an aborted arm opens no further connections', async () => {
  const abort = new AbortController();
  let late: Promise<unknown> | undefined;
  const abortedWhileItWaits = async (stage: Stage): Promise<{ counted: number }> => {
    late = Promise.allSettled([stage.connectPostgres('late'), new Promise(setImmediate).then(stage.connectRedis)]);
    abort.abort(new Error('enough'));
    return new Promise(() => {});
  };
  await inAnArena(async (arena) => {
    const run = runExperiment(counting(abortedWhileItWaits), { arena, signal: abort.signal });
    await expect(run).rejects.toThrow('enough');
    expect(await late).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });
});

test('a run leaves no database and no keys behind, even if it fails', async () => {
  let prefix = '';
  let database = '';
  const run = inAnArena((arena) =>
    runExperiment(
      counting(async (stage) => {
        prefix = arena.redisKeyPrefix;
        database = new URL(await arena.databaseUrl()).pathname.slice(1);
        await count(stage, 1);
        throw new Error('broken');
      }),
      { arena },
    ),
  );
  await expect(run).rejects.toThrow('broken');
  const redis = new Redis(stores().redisUrl);
  const admin = new pg.Client(stores().databaseUrl);
  await admin.connect();
  try {
    expect(await redis.keys(`${prefix}*`)).toEqual([]);
    const { rows } = await admin.query('select from pg_database where datname = $1', [database]);
    expect(rows).toEqual([]);
  } finally {
    redis.disconnect();
    await admin.end();
  }
});

test('the next run drops the database of a crashed run and keeps that of a live run', async () => {
  const admin = new pg.Client(stores().databaseUrl);
  await admin.connect();
  try {
    await admin.query('create database minitickets_experiment_died');
    await inAnArena(async (living) => {
      const name = new URL(await living.databaseUrl()).pathname.slice(1);
      await inAnArena((next) => next.databaseUrl());
      const { rows } = await admin.query('select datname from pg_database where datname in ($1, $2)', [
        name,
        'minitickets_experiment_died',
      ]);
      expect(rows).toEqual([{ datname: name }]);
    });
  } finally {
    await admin.end();
  }
});
