import { useStores } from '@minitickets/stack/test-stores';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRedis } from '../db/redis.ts';
import { limitOf, newBucket } from '../testing/limiter-stores.ts';
import { batchDecisions } from './decision-batches.ts';

const stores = useStores();
let redis: ReturnType<typeof openRedis>;
beforeAll(async () => {
  redis = openRedis({ url: stores.redisUrl, keyPrefix: stores.redisKeyPrefix, deadlineMs: 20_000, onError: () => {} });
  await vi.waitFor(() => expect(redis.status).toBe('ready'));
});
afterAll(() => redis.disconnect());

const slow = limitOf({ capacity: 5, refillIntervalMs: 3_600_000 });

test('calls of one turn travel together: fifty decisions are one command', async () => {
  const decide = batchDecisions(redis);
  const send = vi.spyOn(redis, 'sendCommand');
  await decide([{ bucket: newBucket(), limit: slow }]);
  send.mockClear();
  await Promise.all(Array.from({ length: 50 }, () => decide([{ bucket: newBucket(), limit: slow }])));
  expect(send).toHaveBeenCalledTimes(1);
  await Promise.all(Array.from({ length: 51 }, () => decide([{ bucket: newBucket(), limit: slow }])));
  expect(send).toHaveBeenCalledTimes(3);
  send.mockRestore();
});

test('each call gets its own decision, as if it had come alone', async () => {
  const decide = batchDecisions(redis);
  const bucket = newBucket();
  const other = newBucket();
  const answers = await Promise.all([
    decide([{ bucket, limit: slow, cost: 3 }]),
    decide([{ bucket, limit: slow, cost: 3 }]),
    decide([{ bucket: other, limit: limitOf({ capacity: 7 }) }]),
    decide([{ bucket, limit: slow, cost: 2 }]),
    decide([{ bucket, limit: slow }]),
  ]);
  expect(answers.map(([decision]) => [decision?.allowed, decision?.remaining])).toEqual([
    [true, 2],
    [false, 2],
    [true, 6],
    [true, 0],
    [false, 0],
  ]);
});

test('all or none holds for each call, whoever it travels with', async () => {
  const decide = batchDecisions(redis);
  const [wide, narrow] = [newBucket(), newBucket()];
  const both = [
    { bucket: wide, limit: slow },
    { bucket: narrow, limit: limitOf({ capacity: 1, refillIntervalMs: 3_600_000 }) },
  ];
  const answers = await Promise.all([
    decide(both),
    decide(both),
    decide(both),
    decide([{ bucket: wide, limit: slow }]),
  ]);
  expect(answers.map((decisions) => decisions.map(({ allowed }) => allowed))).toEqual([
    [true, true],
    [true, false],
    [true, false],
    [true],
  ]);
  expect(answers.at(-1)?.[0]?.remaining).toBe(3);
});

test('a thousand calls in the same moment are served as often as the bucket allows', async () => {
  const decide = batchDecisions(redis);
  const bucket = newBucket();
  const answers = await Promise.all(Array.from({ length: 1000 }, () => decide([{ bucket, limit: slow }])));
  expect(answers.filter(([decision]) => decision?.allowed)).toHaveLength(5);
});

test('a cost that is none fails its own call, and not those that it came with', async () => {
  const decide = batchDecisions(redis);
  const [good, bad] = await Promise.allSettled([
    decide([{ bucket: newBucket(), limit: slow }]),
    decide([{ bucket: newBucket(), limit: slow, cost: Number.NaN }]),
  ]);
  expect(good.status).toBe('fulfilled');
  expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
});

test('when Redis is away every call of the turn hears of it', async () => {
  const away = openRedis({ url: 'redis://127.0.0.1:1', keyPrefix: '', onError: () => {} });
  const decide = batchDecisions(away);
  const calls = Array.from({ length: 3 }, () => decide([{ bucket: newBucket(), limit: slow }]));
  const answers = await Promise.allSettled(calls);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  away.disconnect();
});
