import type { Problem, RedisPause } from '@minitickets/contract';
import { openArena } from '@minitickets/decisions/frame/arena';
import { livingRuns } from '@minitickets/decisions/frame/run-keys';
import { startRedis } from '@minitickets/stack/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startLab } from './testing/test-lab.ts';

/** A separate Redis to pause, so that other tests are not affected. */
let own: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  own = await startRedis();
});
afterAll(() => own.stop());
// The previous test's pause may still last, and a lab would take a silent Redis for one that is down.
beforeEach(async () => {
  const redis = new Redis(own.url);
  await redis.ping();
  redis.disconnect();
});

const pause = (lab: Awaited<ReturnType<typeof startLab>>, seconds: number) =>
  lab.call<Problem & { pausedUntil: string }>('POST', '/lab/redis-pauses', { seconds });
const current = async (lab: Awaited<ReturnType<typeof startLab>>) =>
  (await lab.call<RedisPause>('GET', '/lab/redis-pauses/current')).body.pausedUntil;

test('a paused Redis does not respond, the lab reports the end of the pause, and Redis resumes by itself', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const redis = new Redis(own.url);
  await redis.ping();
  expect(await current(lab)).toBeNull();
  const asked = Date.now();
  const { status, body } = await pause(lab, 1);
  expect(status).toBe(201);
  expect(await current(lab)).toBe(body.pausedUntil);
  await redis.ping();
  // Redis counts from when it receives the command, the lab from just before.
  expect(Date.now() - asked).toBeGreaterThanOrEqual(990);
  expect(Date.parse(body.pausedUntil)).toBeLessThanOrEqual(Date.now());
  expect(await current(lab)).toBeNull();
  redis.disconnect();
});

test('a pause is refused on a shared stack', async () => {
  const lab = await startLab({ redisUrl: own.url, allowRedisPauses: false });
  expect(await pause(lab, 1)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect(await current(lab)).toBeNull();
});

test('a second pause does not extend the first', async () => {
  const lab = await startLab({ redisUrl: own.url });
  const [one, other] = await Promise.all([pause(lab, 1), pause(lab, 10)]);
  expect([one.status, other.status].sort()).toEqual([201, 409]);
  const refused = one.status === 409 ? one : other;
  expect(refused.body).toMatchObject({ error: 'pause_not_possible', retryAfter: expect.any(Number) });
});

test('a pause is refused during a run, and no run starts during a pause', async () => {
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

test('a pause is refused during a run of the command line', async () => {
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

test('a lab that restarts during a pause knows of it and starts no run', async () => {
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

test('a Redis that is down is reported as down, not as paused', async () => {
  const gone = await startRedis();
  const lab = await startLab({ redisUrl: gone.url });
  await gone.stop();
  expect(await pause(lab, 1)).toMatchObject({ status: 503, body: { error: 'store_unavailable' } });
  expect(await current(lab)).toBeNull();
});
