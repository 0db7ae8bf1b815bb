import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ownRedis } from '@minitickets/stack/own-redis';
import { startRedis } from '@minitickets/stack/redis';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeToken } from '../queries/rate-limits.ts';
import { limitOf } from '../testing/limiter-stores.ts';
import { openRedis, REDIS_DEADLINE_MS } from './redis.ts';
import { redisFailure } from './redis-failures.ts';

/** Longer than a busy machine delays a reply, and shorter than a hang. */
const LATE_MS = 1000;
const away = expect.objectContaining({ kind: 'store-unavailable', store: 'Redis' });

/** A connection with a task's settings to a Redis that only this test uses. */
async function ownConnection() {
  const own = await ownRedis();
  const redis = openRedis({ url: own.server.url, keyPrefix: 'mt:', onError: () => {} });
  onTestFinished(() => redis.disconnect());
  await isReady(redis);
  return { ...own, redis };
}

const isReady = (redis: Redis) => vi.waitFor(() => expect(redis.status).toBe('ready'), { timeout: 10_000 });

/** Returns the failure of a call, and after how many ms it came. */
async function failureOf(call: Promise<unknown>) {
  const begunAt = performance.now();
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { failure: redisFailure(error), afterMs: performance.now() - begunAt };
}

const limit = limitOf({ capacity: 5, refillIntervalMs: 60_000 });
const take = (redis: Redis) => takeToken(redis, { bucket: 'someone', limit });

test('a Redis that does not reply fails within the deadline, and drops the commands it has not run', async () => {
  const { redis, pause } = await ownConnection();
  await pause(1500);
  const { failure, afterMs } = await failureOf(take(redis));
  expect(failure).toEqual(away);
  expect(afterMs).toBeGreaterThan(REDIS_DEADLINE_MS - 5);
  expect(afterMs).toBeLessThan(LATE_MS);

  await isReady(redis);
  expect(await redis.exists('limit:{someone}')).toBe(0);
  expect(await take(redis)).toMatchObject({ allowed: true, remaining: 4 });
});

test('while Redis is down calls fail at once, and none runs later', async () => {
  const { server, redis } = await ownConnection();
  await server.kill();
  await vi.waitFor(() => expect(redis.status).not.toBe('ready'));
  for (let call = 0; call < 20; call++) {
    const { failure, afterMs } = await failureOf(take(redis));
    expect(failure).toEqual(away);
    expect(afterMs).toBeLessThan(REDIS_DEADLINE_MS);
  }

  const restarted = await startRedis({ port: server.port });
  onTestFinished(() => restarted.stop());
  await isReady(redis);
  // The new server has neither the bucket nor the script.
  expect(await take(redis)).toMatchObject({ allowed: true, remaining: 4 });
});

test('a call in flight when the connection breaks fails, and is not sent again', async () => {
  const { redis, admin, pauseWrites, resume } = await ownConnection();
  await pauseWrites();
  const call = failureOf(take(redis));
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await resume();
  expect((await call).failure).toEqual(away);
  await isReady(redis);
  expect(await redis.exists('limit:{someone}')).toBe(0);
});

test('a server that accepts connections but stays silent is never ready, and is disconnected', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const redis = openRedis({ url: `redis://127.0.0.1:${port}`, keyPrefix: 'mt:', onError: () => {} });
  onTestFinished(() => redis.disconnect());
  const [first] = await once(silent, 'connection');
  first.resume();
  expect((await failureOf(take(redis))).failure).toEqual(away);
  await Promise.all([once(first, 'close'), once(silent, 'connection')]);
  expect((await failureOf(take(redis))).afterMs).toBeLessThan(REDIS_DEADLINE_MS);
});

/** Blocks this thread for longer than the deadline, and leaves the core to Redis. */
const beBusy = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * REDIS_DEADLINE_MS);

test.each<[string, (look: () => void) => void]>([
  [
    'at once',
    (look) => {
      beBusy();
      look();
    },
  ],
  [
    'by a timer that has become due',
    (look) => {
      setTimeout(look);
      beBusy();
    },
  ],
])('a reply that waited for a busy process is not overdue, even if the check runs %s', async (_, beBusyAndLook) => {
  // The test triggers the connection's check.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { redis } = await ownConnection();
  let isRead = false;
  const answer = redis.ping().finally(() => {
    isRead = true;
  });
  // The command leaves in this event-loop tick, and its reply arrives in the next one at the earliest.
  await new Promise((resolve) => setImmediate(resolve));
  const wasRead = new Promise((resolve) => {
    beBusyAndLook(() => {
      resolve(isRead);
      vi.advanceTimersByTime(REDIS_DEADLINE_MS);
    });
  });
  expect(await wasRead).toBe(false);
  expect(await answer).toBe('PONG');
});

test('a Redis that has become a replica is replaced by looking up the primary again', async () => {
  const { redis, admin } = await ownConnection();
  const reconnecting = new Promise((resolve) => redis.once('reconnecting', () => resolve(true)));
  await admin.replicaof('127.0.0.1', 1);
  expect((await failureOf(take(redis))).failure).toEqual(away);
  expect(await reconnecting).toBe(true);
  await admin.replicaof('NO', 'ONE');
  await isReady(redis);
  expect(await take(redis)).toMatchObject({ allowed: true });
});

test('a Redis that is out of memory is unavailable, and writes nothing partially', async () => {
  const { redis, admin } = await ownConnection();
  await admin.config('SET', 'maxmemory', '1');
  expect((await failureOf(take(redis))).failure).toEqual(away);
  await admin.config('SET', 'maxmemory', '0');
  expect(await redis.exists('limit:{someone}')).toBe(0);
});

test('a bug of ours is not reported as an outage', async () => {
  const { redis } = await ownConnection();
  await redis.set('text', 'a');
  expect((await failureOf(redis.incr('text'))).failure).toBeNull();
  expect(redisFailure(new Error('anything'))).toBeNull();
  expect(redisFailure('no error at all')).toBeNull();
});
