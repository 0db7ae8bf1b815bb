import type { LimitActivity, LimitActivitySeries } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test, vi } from 'vitest';
import { addActivity, readActivity } from '../queries/limit-activity.ts';
import { person } from '../testing/people.ts';
import { type TestApp, testApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
const tasks = [useApp(stores, { taskName: 'task-1' }), useApp(stores, { taskName: 'task-2' })] as const;
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(tasks[0], { role: 'admin' });
});

const activity = async (task: TestApp): Promise<LimitActivity> =>
  (await task.app.inject({ url: '/v1/admin/limits/activity', cookies: { sid: admin.sid } })).json();

test('the decisions of two tasks are summed, and both tasks report the same', async () => {
  const { sid, user } = await person(tasks[0]);
  const play = (task: TestApp) => task.app.inject({ method: 'POST', url: '/v1/playground/requests', cookies: { sid } });
  for (let call = 0; call < 35; call++) for (const task of tasks) await play(task);

  await vi.waitFor(
    async () => {
      const [one, other] = [await activity(tasks[0]), await activity(tasks[1])];
      expect(one).toEqual(other);
      const counts = one.policies.find(({ policy }) => policy === 'playground');
      expect((counts?.allowed ?? 0) + (counts?.throttled ?? 0) + (counts?.suppressed ?? 0)).toBe(70);
      expect(counts?.suppressed).toBeGreaterThan(0);
      expect(one.tasks).toBe(2);
      expect(one.mostRefused).toEqual([{ policy: 'playground', bucket: expect.any(String), count: counts?.throttled }]);
      expect(one.mostSuppressed).toMatchObject([{ policy: 'playground', count: counts?.suppressed }]);
      expect(JSON.stringify(one)).not.toContain(user.id);
    },
    { timeout: 5000 },
  );
});

test('activity is reported by interval: a decision counts in the interval of its report, on every task', async () => {
  const { redis } = tasks[0];
  const seriesOf = async (task: TestApp, minutes: number): Promise<LimitActivitySeries> => {
    const url = `/v1/admin/limits/activity/series?minutes=${minutes}`;
    return (await task.app.inject({ url, cookies: { sid: admin.sid } })).json();
  };
  // Counts of a policy that no other test of this file uses: one second, three minutes and twenty minutes ago.
  const now = Number((await redis.time())[0]);
  for (const [ago, count] of [
    [10, 3],
    [190, 5],
    [1200, 7],
  ] as const) {
    const second = now - ago;
    const key = `limit-activity:{activity}:${Math.floor(second / 60)}:totals`;
    await redis.hset(key, `payment allowed ${Math.floor((second % 60) / 5)}`, count);
    await redis.expire(key, 60);
  }
  const series = await seriesOf(tasks[0], 5);
  expect(series).toMatchObject({ intervalSeconds: 5, intervals: 60 });
  const endsAt = Date.parse(series.until) / 1000;
  expect(endsAt % 5).toBe(0);
  expect(endsAt).toBeLessThanOrEqual(now);
  const payment = series.policies.find(({ policy }) => policy === 'payment');
  const told = (payment?.allowed ?? []).flatMap((count, index) =>
    count > 0 ? [{ count, ago: now - (endsAt - (60 - index) * 5) }] : [],
  );
  expect(told.map(({ count }) => count)).toEqual([5, 3]);
  // Each interval started at most its own length before its count.
  for (const [index, ago] of [190, 10].entries()) {
    expect(told[index]?.ago).toBeGreaterThanOrEqual(ago);
    expect(told[index]?.ago).toBeLessThan(ago + 5);
  }
  await vi.waitFor(async () => expect(await seriesOf(tasks[1], 5)).toEqual(await seriesOf(tasks[0], 5)));
  const longest = await seriesOf(tasks[0], 15);
  expect(longest.policies.every(({ allowed }) => allowed.length === 180)).toBe(true);
  const sum = (counts: number[] | undefined) => (counts ?? []).reduce((total, count) => total + count, 0);
  expect(sum(longest.policies.find(({ policy }) => policy === 'payment')?.allowed)).toBe(8);
});

test.each(['0', '16', '1.5', 'all', ''])('a series of %s minutes is not valid', async (minutes) => {
  const url = `/v1/admin/limits/activity/series?minutes=${minutes}`;
  expect((await tasks[0].app.inject({ url, cookies: { sid: admin.sid } })).statusCode).toBe(400);
});

test('decisions made without Redis are reported when it is back', async () => {
  const { app, redis } = await testApp(stores, { taskName: 'task-3' });
  const degraded = async () =>
    (await activity(tasks[0])).policies.find(({ policy }) => policy === 'playground-open')?.degraded ?? 0;
  redis.disconnect();
  const sent = vi.spyOn(redis, 'evalsha');
  const reports = () => sent.mock.calls.filter(([, , key]) => key === 'limit-activity:{activity}').length;
  for (let call = 1; call <= 4; call++) {
    const answer = await app.inject({ method: 'POST', url: '/v1/playground/requests?policy=playground-open' });
    expect(answer.json()).toMatchObject({ degraded: 'open' });
    // A report fails after the first and after the last decision.
    const before = reports();
    if (call % 3 === 1) await vi.waitFor(() => expect(reports()).toBeGreaterThan(before), { timeout: 5000 });
  }
  await redis.connect();
  await vi.waitFor(async () => expect(await degraded()).toBe(4), { timeout: 5000 });
  const arrived = reports();
  await vi.waitFor(() => expect(reports()).toBeGreaterThan(arrived + 1), { timeout: 5000 });
  expect(await degraded()).toBe(4);
});

test('a busy identity is reported by a name that can be looked up as a bucket', async () => {
  const { mostRefused } = await activity(tasks[0]);
  const url = `/v1/admin/limits/playground/buckets/${mostRefused[0]?.bucket}`;
  const answer = await tasks[0].app.inject({ url, cookies: { sid: admin.sid } });
  expect(answer.json()).toMatchObject({ state: 'stored' });
});

test('memory is bounded: of many identities the busiest are kept in order, and everything expires', async () => {
  const { redis } = tasks[0];
  for (let batch = 0; batch < 5; batch++) {
    const names = Array.from({ length: 1000 }, (_, index) => [`login ${batch}-${index}`, 1 + (index % 7)] as const);
    const refused = { ...Object.fromEntries(names), 'login busiest': 1000, 'login second': 900 };
    await addActivity(redis, 'task-9', { totals: { 'login throttled': 100 }, refused, suppressed: {} });
  }
  const { refused } = await readActivity(redis, { minutes: 15, most: 100 });
  expect(refused).toHaveLength(100);
  expect(refused[0]).toEqual({ name: 'login busiest', count: 5000 });
  expect(refused[1]).toEqual({ name: 'login second', count: 4500 });
  const keys = (await redis.keys(`${stores.redisKeyPrefix}limit-activity:*`)).map((key) =>
    key.slice(stores.redisKeyPrefix.length),
  );
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    expect(await redis.ttl(key)).toBeGreaterThan(0);
    if (key.endsWith(':refused')) expect(await redis.zcard(key)).toBeLessThanOrEqual(1000);
  }
});

test('corrupt counts are skipped, and removed by the next report', async () => {
  const { redis } = tasks[0];
  const counts = {
    totals: { 'login throttled': 1 },
    refused: { 'login someone': 1 },
    suppressed: { 'login someone': 1 },
  };
  const minute = `limit-activity:{activity}:${Math.floor(Number((await redis.time())[0]) / 60)}`;
  for (let after = -1; after <= 1; after++) {
    const near = `limit-activity:{activity}:${Number(minute.split(':').at(-1)) + after}`;
    const junk = redis.multi().del(`${near}:totals`, `${near}:refused`, `${near}:suppressed`);
    for (let interval = 0; interval < 12; interval++)
      junk.hset(`${near}:totals`, `login throttled ${interval}`, 'many');
    await junk.hset(`${near}:totals`, 'login', 1, 'login throttled', 1).set(`${near}:refused`, 'junk').exec();
    await redis.zadd(`${near}:suppressed`, 0.5, 'half', 'inf', 'login endless', 1, 'nobody');
  }
  await redis.set('limit-activity:{activity}:tasks', 'junk');
  const url = '/v1/admin/limits/activity';
  const read = await tasks[0].app.inject({ url, cookies: { sid: admin.sid } });
  expect(read.statusCode).toBe(200);
  expect(JSON.stringify(read.json().mostSuppressed)).not.toMatch(/half|endless|nobody/);
  const series = await tasks[0].app.inject({ url: '/v1/admin/limits/activity/series', cookies: { sid: admin.sid } });
  expect(series.statusCode).toBe(200);
  await redis.set('limit-activity:{activity}:tasks', 'junk');
  expect(await addActivity(redis, 'task-9', counts)).toBeGreaterThan(0);
  const { totals, refused } = await readActivity(redis, { minutes: 15, most: 100 });
  expect(refused.map(({ name }) => name)).toContain('login someone');
  expect(totals.find(({ name }) => name === 'login throttled')?.count).toBeGreaterThan(0);
});

test('only admins see the activity', async () => {
  const { sid } = await person(tasks[0], { role: 'organiser' });
  for (const url of ['/v1/admin/limits/activity', '/v1/admin/limits/activity/series']) {
    expect((await tasks[0].app.inject({ url, cookies: { sid } })).statusCode).toBe(403);
  }
});
