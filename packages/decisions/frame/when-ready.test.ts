import { openRedis } from '@minitickets/api/db/redis';
import { ownRedis } from '@minitickets/stack/own-redis';
import { startRedis } from '@minitickets/stack/redis';
import { expect, onTestFinished, test } from 'vitest';
import { openArena, openStage } from './arena.ts';
import { whenReady } from './when-ready.ts';

test('an arm waits for a Redis that does not reply yet', async () => {
  const { server, pause } = await ownRedis();
  const arena = openArena({ databaseUrl: '', redisUrl: server.url, description: 'a test’s' });
  onTestFinished(() => arena.close());
  const stage = openStage(arena, { signal: new AbortController().signal, emit: () => {} });
  onTestFinished(() => stage.close());
  // Longer than the timeout of a handshake, so that the first attempt fails.
  await pause(1500);
  expect(await (await stage.connectRedis()).ping()).toBe('PONG');
});

test('a wait that times out rejects with the last attempt’s error', async () => {
  const server = await startRedis();
  await server.stop();
  const ending = new AbortController();
  let failures = 0;
  const onError = () => {
    failures += 1;
    if (failures === 2) ending.abort();
  };
  const redis = openRedis({ url: server.url, keyPrefix: '', onError });
  onTestFinished(() => redis.disconnect());
  await expect(whenReady(redis, ending.signal)).rejects.toThrow('ECONNREFUSED');
});
