import { ownRedis } from '@minitickets/stack/own-redis';
import type {} from '@minitickets/stack/test-stores';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openArena, openStage } from './arena.ts';
import { livingRuns, removeAbandonedKeys, removeKeys, runKeyPrefix } from './run-keys.ts';

/** The stores of a run, with a Redis that only this test uses, so that it finds no keys of other runs. */
async function ownStores() {
  const { server, admin: redis, pause } = await ownRedis();
  const stores = { databaseUrl: inject('testAdminDatabaseUrl'), redisUrl: server.url, description: 'a test’s' };
  return { redis, stores, pause };
}

test('only the keys of crashed runs are removed, not those of live runs or of others', async () => {
  const { redis, stores } = await ownStores();
  const living = openArena(stores, 'living');
  onTestFinished(() => living.close());
  const stage = openStage(living, { signal: new AbortController().signal, emit: () => {} });
  onTestFinished(() => stage.close());
  await (await stage.connectRedis()).set('one', '1');
  for (let n = 0; n < 2_500; n += 1) redis.set(`experiment:died:${n}`, '1');
  await redis.mset('experiment:', '1', 'experiments:died:1', '1', 'mt:session', '1');
  await removeAbandonedKeys(stores.redisUrl);
  const left = await redis.keys('*');
  expect(left.filter((key) => !key.startsWith('experiment:living:')).sort()).toEqual([
    'experiment:',
    'experiments:died:1',
    'mt:session',
  ]);
  expect(left).toHaveLength(4);
});

test('a run counts as live from open to close, whether or not an arm is connected', async () => {
  const { redis, stores } = await ownStores();
  const arena = openArena(stores, 'one');
  await expect.poll(() => livingRuns(redis)).toEqual(new Set([runKeyPrefix('one')]));
  await arena.close();
  await expect.poll(() => livingRuns(redis)).toEqual(new Set());
});

test('removing keys waits for a Redis that does not reply yet', async () => {
  const { redis, stores, pause } = await ownStores();
  await redis.set('experiment:one:left', 'behind');
  // Longer than the timeout of a handshake, so that the first attempt fails.
  await pause(1500);
  await removeKeys(stores.redisUrl, runKeyPrefix('one'));
  expect(await redis.exists('experiment:one:left')).toBe(0);
});
