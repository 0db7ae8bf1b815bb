import { startRedis } from '@minitickets/stack/redis';
import type {} from '@minitickets/stack/test-stores';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openArena, openStage } from './arena.ts';
import { livingRuns, removeAbandonedKeys, removeKeys, runKeyPrefix } from './run-keys.ts';

/** A Redis of the test's own: what is abandoned elsewhere is none of its business. */
async function ownRedis() {
  const server = await startRedis();
  const redis = new Redis(server.url);
  redis.on('error', () => {});
  onTestFinished(async () => {
    redis.disconnect();
    await server.stop();
  });
  const stores = { databaseUrl: inject('testAdminDatabaseUrl'), redisUrl: server.url, description: 'a test’s' };
  return { redis, stores };
}

test('only the keys of crashed runs are removed, not those of live runs or of others', async () => {
  const { redis, stores } = await ownRedis();
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
  const { redis, stores } = await ownRedis();
  const arena = openArena(stores, 'one');
  await expect.poll(() => livingRuns(redis)).toEqual(new Set([runKeyPrefix('one')]));
  await arena.close();
  await expect.poll(() => livingRuns(redis)).toEqual(new Set());
});

test('removing keys waits for a Redis that does not answer yet', async () => {
  const { redis, stores } = await ownRedis();
  await redis.set('experiment:one:left', 'behind');
  // Longer than a handshake may take: the first attempt is hung up on.
  await redis.call('CLIENT', 'PAUSE', '1500', 'ALL');
  await removeKeys(stores.redisUrl, runKeyPrefix('one'));
  expect(await redis.exists('experiment:one:left')).toBe(0);
});
