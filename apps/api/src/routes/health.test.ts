import { ownRedis } from '@minitickets/stack/own-redis';
import { startPostgres } from '@minitickets/stack/postgres';
import { useStores } from '@minitickets/stack/test-stores';
import { sql } from 'drizzle-orm';
import type { Redis } from 'ioredis';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../db/migrate.ts';
import { person } from '../testing/people.ts';
import { type TestApp, testApp } from '../testing/test-app.ts';

const stores = useStores();

/** An application with its own Redis, and an admin connection to it. */
async function withOwnRedis(settings: string[] = []) {
  const { server, admin } = await ownRedis({ settings });
  const made = await testApp({ ...stores, databaseUrl: stores.databaseUrl, redisUrl: server.url });
  return { ...made, admin };
}

type App = TestApp['app'];
const ready = async (app: App) => {
  const answer = await app.inject('/health/ready');
  return { code: answer.statusCode, ...(answer.json() as { detail?: string; warnings?: string[] }) };
};

test.each([
  ['is out of memory for writes', (redis: Redis) => redis.config('SET', 'maxmemory', '1')],
  ['is a replica and rejects writes', (redis: Redis) => redis.replicaof('127.0.0.1', 1)],
  ['has too few replicas to take writes', (redis: Redis) => redis.config('SET', 'min-replicas-to-write', '1')],
  ['denies access to this task', (redis: Redis) => redis.acl('SETUSER', 'default', '-@write')],
  ['denies access to this task', (redis: Redis) => redis.acl('SETUSER', 'default', '-@scripting')],
])('a task whose Redis %s is not ready, and says why', async (condition, arrange) => {
  const { app, admin } = await withOwnRedis();
  expect(await ready(app)).toMatchObject({ code: 200 });
  await arrange(admin);
  // A task that was just refused by a replica first looks for another primary.
  const expected = { code: 503, detail: `Not ready: Redis ${condition}.` };
  await vi.waitFor(async () => expect(await ready(app)).toMatchObject(expected), 5_000);
});

test.each([
  ['write', 'denies access to this task', (redis: Redis) => redis.acl('SETUSER', 'default', '-@write')],
  ['scripts', 'denies access to this task', (redis: Redis) => redis.acl('SETUSER', 'default', '-@scripting')],
  ['memory', 'is out of memory for writes', (redis: Redis) => redis.config('SET', 'maxmemory', '1')],
])(
  'without %s in Redis an open policy serves, and a closed one answers 503 with the reason',
  async (_, condition, arrange) => {
    const { app, admin } = await withOwnRedis();
    await arrange(admin);
    expect((await app.inject('/v1/events')).statusCode).toBe(200);
    // After the cooldown the breaker is half-open, and Redis reports the fault.
    await vi.waitFor(async () => {
      const payload = { email: 'someone@example.test', password: 'correct horse battery staple' };
      const login = await app.inject({ method: 'POST', url: '/v1/sessions', payload });
      expect(login.json()).toMatchObject({ status: 503, detail: `Redis ${condition}.` });
    }, 5_000);
  },
);

test('a Redis that may evict keys is reported by the probe and a metric, and the task stays ready', async () => {
  const { app } = await withOwnRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
  const answer = await ready(app);
  expect(answer).toMatchObject({ code: 200 });
  expect(answer.warnings).toEqual([expect.stringContaining('allkeys-lru')]);
  expect((await app.inject('/metrics')).body).toMatch(/^minitickets_redis_may_evict\{.*\} 1$/m);
});

test.each([
  ['no memory limit', ['--maxmemory', '0', '--maxmemory-policy', 'allkeys-lru']],
  ['the policy noeviction', ['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction']],
])('a Redis with %s evicts nothing, and no warning appears', async (_, settings) => {
  const { app } = await withOwnRedis(settings);
  expect((await ready(app)).warnings).toBeUndefined();
  expect((await app.inject('/metrics')).body).toMatch(/^minitickets_redis_may_evict\{.*\} 0$/m);
});

test.each([
  ['53100', 'is out of disk space'],
  ['42501', 'denies permission'],
])('a task whose PostgreSQL fails writes with %s is not ready, says why, and recovers', async (code, condition) => {
  const made = await testApp(stores);
  expect(await ready(made.app)).toMatchObject({ code: 200 });
  await made.db.execute(sql`
    create or replace function refuse() returns trigger language plpgsql as ${sql.raw(`'begin raise sqlstate ''${code}''; end'`)}`);
  await made.db.execute(sql`create trigger refusing before insert on write_probes execute function refuse()`);
  // Between two writes, probes only read.
  const expected = { code: 503, detail: `Not ready: PostgreSQL ${condition}.` };
  await vi.waitFor(async () => expect(await ready(made.app)).toMatchObject(expected), 10_000);
  expect((await made.app.inject('/v1/events')).statusCode).toBe(200);
  await made.db.execute(sql`drop trigger refusing on write_probes`);
  expect(await ready(made.app)).toMatchObject({ code: 200 });
});

test('many probes cost PostgreSQL one write, and the table of probes has one row', async () => {
  const { app, db } = await testApp(stores);
  await Promise.all(Array.from({ length: 5 }, () => ready(app)));
  const before = await db.execute(sql`select written_at from write_probes`);
  expect(before.rows).toHaveLength(1);
  await ready(app);
  await db.execute(sql`insert into write_probes values (false)`).then(
    () => expect.unreachable(),
    (error) => expect(String(error.cause)).toContain('write_probes_one_row'),
  );
});

test('a task whose PostgreSQL is read-only is not ready, serves reads and answers writes 503 with the reason', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await migrate(postgres.url);
  const made = await testApp({ ...stores, databaseUrl: postgres.url });
  const { sid } = await person(made);
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  await admin.query('alter database minitickets set default_transaction_read_only = on');
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
  await admin.end();
  const expected = { code: 503, detail: 'Not ready: PostgreSQL rejects writes.' };
  await vi.waitFor(async () => expect(await ready(made.app)).toMatchObject(expected), 10_000);
  expect((await made.app.inject('/v1/events')).statusCode).toBe(200);
  const write = await made.app.inject({
    method: 'POST',
    url: '/v1/api-keys',
    cookies: { sid },
    payload: { name: 'a key' },
  });
  expect(write.json()).toMatchObject({
    status: 503,
    error: 'store_unavailable',
    detail: 'PostgreSQL rejects writes.',
  });
});
