import { openRedis } from '@minitickets/api/db/redis';
import { startRedis } from '@minitickets/stack/redis';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openArena, openStage } from './arena.ts';
import { whenReady } from './when-ready.ts';

test('an arm waits for a Redis that does not answer yet', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const arena = openArena({ databaseUrl: '', redisUrl: server.url, description: 'a test’s' });
  onTestFinished(() => arena.close());
  const stage = openStage(arena, { signal: new AbortController().signal, emit: () => {} });
  onTestFinished(() => stage.close());
  const redis = new Redis(server.url);
  // Longer than a handshake may take: the first attempt is hung up on.
  await redis.call('CLIENT', 'PAUSE', '1500', 'ALL');
  redis.disconnect();
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
