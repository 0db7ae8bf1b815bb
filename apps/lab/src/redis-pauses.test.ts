import type { Problem, RedisPause } from '@minitickets/contract';
import { openArena } from '@minitickets/decisions/frame/arena';
import { livingRuns } from '@minitickets/decisions/frame/run-keys';
import { startRedis } from '@minitickets/stack/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startLab } from './testing/test-lab.ts';

/** One that may be paused: the others' tests go on with theirs. */
let own: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  own = await startRedis();
});
afterAll(() => own.stop());
// The pause of the test before may still last; a lab that finds its Redis silent would take it for away.
beforeEach(async () => {
  const redis = new Redis(own.url);
  await redis.ping();
  redis.disconnect();
});

const pause = (lab: Awaited<ReturnType<typeof startLab>>, seconds: number) =>
  lab.call<Problem & { pausedUntil: string }>('POST', '/lab/redis-pauses', { seconds });
const current = async (lab: Awaited<ReturnType<typeof startLab>>) =>
  (await lab.call<RedisPause>('GET', '/lab/redis-pauses/current')).body.pausedUntil;

test('while it is paused Redis answers nobody, the lab says until when, and it ends by itself', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const redis = new Redis(own.url);
  await redis.ping();
  expect(await current(lab)).toBeNull();
  const asked = Date.now();
  const { status, body } = await pause(lab, 1);
  expect(status).toBe(201);
  expect(await current(lab)).toBe(body.pausedUntil);
  await redis.ping();
  // Redis counts the time from when it was asked, and the lab from just before.
  expect(Date.now() - asked).toBeGreaterThanOrEqual(990);
  expect(Date.parse(body.pausedUntil)).toBeLessThanOrEqual(Date.now());
  expect(await current(lab)).toBeNull();
  redis.disconnect();
});

test('where others share the stack nobody pauses Redis', async () => {
  const lab = await startLab({ redisUrl: own.url, allowRedisPauses: false });
  expect(await pause(lab, 1)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect(await current(lab)).toBeNull();
});

test('a pause is not made longer by another', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const [one, other] = await Promise.all([pause(lab, 1), pause(lab, 10)]);
  expect([one.status, other.status].sort()).toEqual([201, 409]);
  const refused = one.status === 409 ? one : other;
  expect(refused.body).toMatchObject({ error: 'pause_not_possible', retryAfter: expect.any(Number) });
});

test('a run is not disturbed by a pause, and does not begin in one', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const running = await lab.add('stuck');
  await lab.untilHere(running.id);
  expect(await pause(lab, 1)).toMatchObject({ status: 409, body: { error: 'pause_not_possible' } });
  await lab.cancel(running.id);
  const { body } = await pause(lab, 1);
  const waiting = await lab.add('plain');
  expect(waiting).toMatchObject({ status: 'queued', position: 1 });
  await lab.untilEnded(waiting.id);
  const { status, startedAt } = await lab.find(waiting.id);
  expect(status).toBe('finished');
  expect(startedAt && startedAt >= body.pausedUntil).toBe(true);
});

test('a run of the command line is not disturbed by a pause either', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const stores = { databaseUrl: '', redisUrl: own.url, description: 'a test’s' };
  const arena = openArena(stores);
  const redis = new Redis(own.url);
  await expect.poll(async () => (await livingRuns(redis)).size).toBe(1);
  redis.disconnect();
  expect(await pause(lab, 1)).toMatchObject({ status: 409, body: { error: 'pause_not_possible' } });
  await arena.close();
  await expect.poll(async () => (await pause(lab, 1)).status).toBe(201);
});

test('a lab that starts again in a pause knows of it, and no run begins in it', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const { body } = await pause(lab, 5);
  await lab.close();
  const again = await startLab({ redisUrl: own.url, dataDir: lab.dataDir });
  expect(await current(again)).toBe(body.pausedUntil);
  expect(await pause(again, 1)).toMatchObject({ status: 409, body: { error: 'pause_not_possible' } });
  const waiting = await again.add('plain');
  expect(waiting).toMatchObject({ status: 'queued', position: 1 });
  await again.untilEnded(waiting.id);
  expect((await again.find(waiting.id)).startedAt?.localeCompare(body.pausedUntil)).toBeGreaterThanOrEqual(0);
});

test('a Redis that is away is told, and is not taken for paused', async () => {
  const gone = await startRedis();
  const lab = await startLab({ redisUrl: gone.url });
  await gone.stop();
  expect(await pause(lab, 1)).toMatchObject({ status: 503, body: { error: 'store_unavailable' } });
  expect(await current(lab)).toBeNull();
});
