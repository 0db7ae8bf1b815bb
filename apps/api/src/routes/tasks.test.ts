import type { TaskReport } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '../app.ts';
import { openDatabase } from '../db/client.ts';
import { readReports, saveReport } from '../queries/task-reports.ts';
import { person } from '../testing/people.ts';
import { type TestApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
const tasks = [useApp(stores, { taskName: 'task-1' }), useApp(stores, { taskName: 'task-10' })] as const;
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(tasks[0], { role: 'admin' });
});

/** A task reports every second, and later on a busy machine. */
const SOME_ROUNDS = { timeout: 10_000 };
const told = async (by: TestApp): Promise<TaskReport[]> =>
  (await by.app.inject({ url: '/v1/admin/tasks', cookies: { sid: admin.sid } })).json().items;
const report = (task: string) => ({
  ...{ task, version: '1', startedAt: new Date().toISOString(), state: 'ready' as const },
  ...{ postgresMs: 1, redisMs: 1, requestsPerSecond: 0, eventLoopDelayMs: 0 },
});

test('every task reports every task and its state', async () => {
  await vi.waitFor(async () => {
    const [one, other] = [await told(tasks[0]), await told(tasks[1])];
    expect(one.map(({ task }) => task)).toEqual(['task-1', 'task-10']);
    expect(other.map(({ task }) => task)).toEqual(['task-1', 'task-10']);
    for (const each of one) {
      expect(each).toMatchObject({ state: 'ready', version: tasks[0].config.version });
      expect(each.postgresMs).toBeGreaterThan(0);
      expect(each.redisMs).toBeGreaterThan(0);
      expect(each.eventLoopDelayMs).toBeGreaterThanOrEqual(0);
      expect(Date.parse(each.startedAt)).toBeLessThanOrEqual(Date.now());
    }
  }, SOME_ROUNDS);
});

test('requests are reported as a rate', async () => {
  for (let call = 0; call < 20; call++) await tasks[1].app.inject('/health/live');
  await vi.waitFor(async () => {
    const busy = (await told(tasks[0])).find(({ task }) => task === 'task-10');
    expect(busy?.requestsPerSecond).toBeGreaterThan(0);
  }, SOME_ROUNDS);
});

test('a draining task reports so, and disappears when it has shut down', async () => {
  const { config, redis } = tasks[0];
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    taskName: 'task-2',
    onIdleError: () => {},
  });
  const lifecycle = { draining: true };
  const ending = await buildApp({ config: { ...config, taskName: 'task-2' }, db, redis }, lifecycle);
  await ending.ready();
  expect((await told(tasks[0])).find(({ task }) => task === 'task-2')).toMatchObject({ state: 'draining' });
  await ending.close();
  await pool.end();
  expect((await told(tasks[0])).map(({ task }) => task)).not.toContain('task-2');
});

test('a task that shuts down during a probe disappears too', async () => {
  const { config, redis } = tasks[0];
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    taskName: 'task-6',
    onIdleError: () => {},
  });
  const ending = await buildApp({ config: { ...config, taskName: 'task-6' }, db, redis });
  await ending.ready();
  // The probe ends while the task shuts down, and only then is its report written.
  let endSilence = (_error: Error) => {};
  const silence = new Promise<never>((_, reject) => {
    endSilence = reject;
  });
  const asked = vi.spyOn(db, 'execute').mockReturnValue(silence as never);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), SOME_ROUNDS);
  const closed = ending.close();
  endSilence(new Error('silent'));
  await closed;
  await pool.end();
  expect((await told(tasks[0])).map(({ task }) => task)).not.toContain('task-6');
});

test('a task whose database is down reports so', async () => {
  const { config, redis } = tasks[0];
  const { db, pool } = openDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    taskName: 'task-3',
    onIdleError: () => {},
  });
  await pool.end();
  const alone = await buildApp({ config: { ...config, taskName: 'task-3' }, db, redis });
  await alone.ready();
  const found = (await told(tasks[0])).find(({ task }) => task === 'task-3');
  expect(found).toMatchObject({ state: 'store_away', postgresMs: null });
  await alone.close();
});

test('a task that is silent for ten seconds disappears', async () => {
  const { redis } = tasks[0];
  await saveReport(redis, report('task-silent'));
  const said = ((await redis.hget('task-reports', 'task-silent')) ?? '').replace(/^\d+ /, '');
  const saidMsAgo = async (ms: number) => {
    const [seconds, microseconds] = (await redis.time()).map(Number) as [number, number];
    const at = seconds * 1000 + Math.floor(microseconds / 1000) - ms;
    await redis.hset('task-reports', 'task-silent', `${at} ${said}`);
  };
  await saidMsAgo(8_000);
  expect((await readReports(redis)).map(({ task }) => task)).toContain('task-silent');
  await saidMsAgo(10_001);
  expect((await readReports(redis)).map(({ task }) => task)).not.toContain('task-silent');
  // A report that is no longer returned is deleted as well.
  await saveReport(redis, report('task-4'));
  expect(await redis.hexists('task-reports', 'task-silent')).toBe(0);
});

test('memory is bounded: of many tasks the latest are kept, and everything expires', async () => {
  const { redis } = tasks[0];
  for (let count = 0; count < 130; count++) await saveReport(redis, report(`many-${count}`));
  expect(await redis.hlen('task-reports')).toBeLessThanOrEqual(100);
  expect((await readReports(redis)).map(({ task }) => task)).toContain('many-129');
  const left = await redis.pttl('task-reports');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(10_000);
});

test('corrupt reports are skipped, and removed by the next report', async () => {
  const { redis } = tasks[0];
  const [seconds] = await redis.time();
  const junk = { 'no-time': '{}', 'no-json': `${seconds}000 {`, 'no-report': `${seconds}000 {"task":"no-report"}` };
  await redis.hset('task-reports', { ...junk, another: `${seconds}000 ${JSON.stringify(report('somebody'))}` });
  const names = (await readReports(redis)).map(({ task }) => task);
  for (const name of [...Object.keys(junk), 'another', 'somebody']) expect(names).not.toContain(name);
  await redis.set('task-reports', 'junk');
  expect(await readReports(redis)).toEqual([]);
  await saveReport(redis, report('task-5'));
  expect((await readReports(redis)).map(({ task }) => task)).toContain('task-5');
});

test('only admins see the tasks', async () => {
  const { sid } = await person(tasks[0], { role: 'organiser' });
  expect((await tasks[0].app.inject({ url: '/v1/admin/tasks', cookies: { sid } })).statusCode).toBe(403);
});
