import { useStores } from '@minitickets/stack/test-stores';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRedis } from '../db/redis.ts';
import { limitOf, newBucket } from '../testing/limiter-stores.ts';
import { batchDecision } from './decision-batches.ts';

const stores = useStores();
let redis: ReturnType<typeof openRedis>;
beforeAll(async () => {
  redis = openRedis({ url: stores.redisUrl, keyPrefix: stores.redisKeyPrefix, deadlineMs: 20_000, onError: () => {} });
  await vi.waitFor(() => expect(redis.status).toBe('ready'));
});
afterAll(() => redis.disconnect());

const slow = limitOf({ capacity: 5, refillIntervalMs: 3_600_000 });

test('calls of one event-loop tick share one command, up to fifty', async () => {
  const send = vi.spyOn(redis, 'sendCommand');
  await batchDecision(redis, [{ bucket: newBucket(), limit: slow }]);
  send.mockClear();
  await Promise.all(Array.from({ length: 50 }, () => batchDecision(redis, [{ bucket: newBucket(), limit: slow }])));
  expect(send).toHaveBeenCalledTimes(1);
  await Promise.all(Array.from({ length: 51 }, () => batchDecision(redis, [{ bucket: newBucket(), limit: slow }])));
  expect(send).toHaveBeenCalledTimes(3);
  send.mockRestore();
});

test('each call of a batch gets the decision it would get alone', async () => {
  const bucket = newBucket();
  const other = newBucket();
  const answers = await Promise.all([
    batchDecision(redis, [{ bucket, limit: slow, cost: 3 }]),
    batchDecision(redis, [{ bucket, limit: slow, cost: 3 }]),
    batchDecision(redis, [{ bucket: other, limit: limitOf({ capacity: 7 }) }]),
    batchDecision(redis, [{ bucket, limit: slow, cost: 2 }]),
    batchDecision(redis, [{ bucket, limit: slow }]),
  ]);
  expect(answers.map(([decision]) => [decision?.allowed, decision?.remaining])).toEqual([
    [true, 2],
    [false, 2],
    [true, 6],
    [true, 0],
    [false, 0],
  ]);
});

test('all-or-none holds for each call of a batch separately', async () => {
  const [wide, narrow] = [newBucket(), newBucket()];
  const both = [
    { bucket: wide, limit: slow },
    { bucket: narrow, limit: limitOf({ capacity: 1, refillIntervalMs: 3_600_000 }) },
  ];
  const answers = await Promise.all([
    batchDecision(redis, both),
    batchDecision(redis, both),
    batchDecision(redis, both),
    batchDecision(redis, [{ bucket: wide, limit: slow }]),
  ]);
  expect(answers.map((decisions) => decisions.map(({ allowed }) => allowed))).toEqual([
    [true, true],
    [true, false],
    [true, false],
    [true],
  ]);
  expect(answers.at(-1)?.[0]?.remaining).toBe(3);
});

test('a burst of five serves exactly five of a thousand calls made in one tick', async () => {
  const bucket = newBucket();
  const answers = await Promise.all(
    Array.from({ length: 1000 }, () => batchDecision(redis, [{ bucket, limit: slow }])),
  );
  expect(answers.filter(([decision]) => decision?.allowed)).toHaveLength(5);
});

test('an invalid cost fails its own call, and not the rest of its batch', async () => {
  const [good, bad] = await Promise.allSettled([
    batchDecision(redis, [{ bucket: newBucket(), limit: slow }]),
    batchDecision(redis, [{ bucket: newBucket(), limit: slow, cost: Number.NaN }]),
  ]);
  expect(good.status).toBe('fulfilled');
  expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
});

test('when Redis is down every call of the batch fails', async () => {
  const away = openRedis({ url: 'redis://127.0.0.1:1', keyPrefix: '', onError: () => {} });
  const calls = Array.from({ length: 3 }, () => batchDecision(away, [{ bucket: newBucket(), limit: slow }]));
  const answers = await Promise.allSettled(calls);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  away.disconnect();
});
