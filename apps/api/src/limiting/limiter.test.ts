import { performance } from 'node:perf_hooks';
import { ownRedis } from '@minitickets/stack/own-redis';
import { startRedis } from '@minitickets/stack/redis';
import { useStores } from '@minitickets/stack/test-stores';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { REDIS_DEADLINE_MS } from '../db/redis.ts';
import { makeLimit } from '../rules/limit-table.ts';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { testApp } from '../testing/test-app.ts';
import { createLimiter } from './limiter.ts';

const stores = useStores();

/** An application with its own Redis, which tests may break. */
async function appWithOwnRedis() {
  const own = await ownRedis();
  const the = await testApp(stores, { redisUrl: own.server.url, hasRedisDeadline: true });
  await vi.waitFor(() => expect(the.redis.status).toBe('ready'));
  const play = () => the.app.inject({ method: 'POST', url: '/v1/playground/requests' });
  const logIn = () => the.app.inject({ method: 'POST', url: '/v1/sessions', payload: {} });
  const limiter = createLimiter(the, new Registry());
  return { ...the, ...own, limiter, play, logIn };
}

/** Long enough for a response within the deadline to come far earlier, on a busy machine too. */
const PAUSE_MS = 6_000;

const SHIPPED = policies.playground.limits.free;
/** A ban that ends on no machine before the test does. */
const LONG_BAN = { strikes: 45, firstBanMs: 60_000, growth: 2, longestBanMs: 60_000, forgetAfterMs: 120_000 };

const numbersIn = (headers: object) =>
  Object.keys(headers).filter((name) => name.includes('ratelimit') && name !== 'x-ratelimit-degraded');

test('a closed policy refuses within the deadline when Redis is down, and claims no budget', async () => {
  const { logIn, pause, server } = await appWithOwnRedis();
  await pause(PAUSE_MS);
  const begunAt = performance.now();
  const answer = await logIn();
  expect(performance.now() - begunAt).toBeLessThan(PAUSE_MS / 2);
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ error: 'store_unavailable' });
  expect(numbersIn(answer.headers)).toEqual([]);
  await server.kill();
});

test('the circuit breaker spares later requests the deadline, even if Redis only fails to write', async () => {
  const { logIn, pauseWrites, resume } = await appWithOwnRedis();
  await pauseWrites();
  await logIn();
  const begunAt = performance.now();
  for (let call = 0; call < 20; call++) expect((await logIn()).statusCode).toBe(503);
  // Without the breaker, each of them would wait for the deadline.
  expect(performance.now() - begunAt).toBeLessThan((20 * REDIS_DEADLINE_MS) / 2);
  await resume();
  await vi.waitFor(async () => expect((await logIn()).statusCode).toBe(400), { timeout: 5000 });
});

test('a local policy serves the task’s share without Redis, says so, and claims no budget', async () => {
  const { play, server, app } = await appWithOwnRedis();
  // By now the task has reported and knows that it is the only one: its share is all of the ten tokens.
  await app.ready();
  await server.kill();
  const answers = [];
  for (let call = 0; call < 15; call++) answers.push(await play());
  const served = answers.filter(({ statusCode }) => statusCode === 200);
  expect(served.length).toBeGreaterThanOrEqual(10);
  expect(served.length).toBeLessThanOrEqual(12);
  expect(served.at(-1)?.json()).toEqual({ policy: 'playground', tier: 'free', degraded: 'local' });
  const refused = answers.find(({ statusCode }) => statusCode === 429);
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  for (const { headers } of answers) {
    expect(headers['x-ratelimit-degraded']).toBe('local');
    expect(numbersIn(headers)).toEqual([]);
  }
});

test('an open policy serves requests without Redis, and says so', async () => {
  const { limiter, server } = await appWithOwnRedis();
  await server.kill();
  const take = limiter.takeOf('reads', 'free', 'ip:192.0.2.1');
  const outcomes = await Promise.all(Array.from({ length: 1000 }, () => limiter.decide([take])));
  expect(outcomes.every(({ degraded }) => degraded[0]?.allowed && degraded[0].mode === 'open')).toBe(true);
});

test('event pages are served without Redis, and quickly', async () => {
  const { app, server, pause } = await appWithOwnRedis();
  const look = () => app.inject({ url: '/v1/events' });
  expect((await look()).headers['ratelimit-policy']).toBe('"reads";q=600;w=3');
  await pause(PAUSE_MS);
  const begunAt = performance.now();
  const answer = await look();
  expect(performance.now() - begunAt).toBeLessThan(PAUSE_MS / 2);
  await server.kill();
  for (const { statusCode, headers } of [answer, await look()]) {
    expect(statusCode).toBe(200);
    expect(headers['x-ratelimit-degraded']).toBe('open');
    expect(numbersIn(headers)).toEqual([]);
  }
});

test('one closed policy makes a combined decision fail closed', async () => {
  const { limiter, server } = await appWithOwnRedis();
  await server.kill();
  const takes = (['reads', 'login'] as const).map((policy) => limiter.takeOf(policy, 'free', 'ip:192.0.2.1'));
  await expect(limiter.decide(takes)).rejects.toMatchObject({ failure: { kind: 'store-unavailable' } });
});

test('when Redis is back it decides again, without a restart', async () => {
  const { play, server } = await appWithOwnRedis();
  await server.kill();
  expect((await play()).headers['x-ratelimit-degraded']).toBe('local');
  const restarted = await startRedis({ port: server.port });
  onTestFinished(() => restarted.stop());
  await vi.waitFor(async () => expect((await play()).headers['x-ratelimit-limit']).toBe('10'), { timeout: 5000 });
});

test('decisions without Redis are counted by policy and failure mode', async () => {
  const { app, play, logIn, server } = await appWithOwnRedis();
  await server.kill();
  await play();
  await logIn();
  const { body } = await app.inject({ url: '/metrics' });
  expect(body).toMatch(/minitickets_limit_degraded_total\{policy="playground",tier="free",mode="local",.*\} 1/);
  expect(body).toMatch(/minitickets_limit_degraded_total\{policy="login",tier="all",mode="closed",.*\} 1/);
  expect(body).toMatch(/minitickets_limit_breaker_open\{.*\} 1/);
});

test('Prometheus counts decisions and bans, and its labels carry no identity', async () => {
  const { app, db, redis, config, play, limiter } = await appWithOwnRedis();
  // On a slow machine the shipped bucket would refill between the calls, and its first ban end.
  const { sid } = await person({ db, redis, config }, { role: 'admin' });
  const changed = await app.inject({
    method: 'PUT',
    url: '/v1/admin/limits/playground/free',
    cookies: { sid },
    payload: { ...SHIPPED, refillIntervalMs: 3_600_000, suppression: LONG_BAN },
  });
  expect(changed.statusCode).toBe(200);
  for (let call = 0; call < 60; call++) await play();
  const { body } = await app.inject({ url: '/metrics' });
  const decisions = (outcome: string) =>
    Number(
      new RegExp(`decisions_total\\{policy="playground",tier="free",outcome="${outcome}",.*\\} (\\d+)`).exec(body)?.[1],
    );
  const [allowed, throttled, suppressed] = [decisions('allowed'), decisions('throttled'), decisions('suppressed')];
  expect(allowed).toBeGreaterThanOrEqual(10);
  expect(suppressed).toBeGreaterThan(1);
  expect(allowed + throttled + suppressed).toBe(60);
  expect(body).toMatch(/minitickets_limit_bans_total\{policy="playground",tier="free",.*\} 1/);
  // Refusals from memory are counted without a command to Redis.
  const asked = Number(/minitickets_limit_script_seconds_count\{.*\} (\d+)/.exec(body)?.[1]);
  expect(asked).toBeGreaterThan(allowed + throttled);
  expect(asked).toBeLessThan(60);
  expect(body).not.toContain('127.0.0.1');
  expect(body).not.toContain(limiter.nameOf('playground', 'ip:127.0.0.1 free'));
});

/** A client of one task that has just been banned from the playground. */
async function bannedClient(the: Pick<Awaited<ReturnType<typeof appWithOwnRedis>>, 'limiter'>) {
  const { bucket } = the.limiter.takeOf('playground', 'free', 'ip:192.0.2.1');
  const take = { bucket, limit: makeLimit('playground', 'free', { ...SHIPPED, suppression: LONG_BAN }, 0) };
  const isBanned = async () => {
    const { decisions } = await the.limiter.decide([take]);
    return decisions.some((decision) => !decision.allowed && decision.reason === 'suppressed');
  };
  for (let call = 0; call < 100; call++) if (await isBanned()) return { take, isBanned };
  throw new Error('a hundred concurrent calls should cause a ban');
}

test('a thousand attempts during a ban cost Redis at most a few commands', async () => {
  const { limiter, redis } = await appWithOwnRedis();
  const { isBanned } = await bannedClient({ limiter });
  const send = vi.spyOn(redis, 'sendCommand');
  for (let attempt = 0; attempt < 1000; attempt++) expect(await isBanned()).toBe(true);
  // One command per second, plus the task's periodic jobs.
  expect(send.mock.calls.filter(([command]) => command.name === 'evalsha').length).toBeLessThan(10);
});

test('a lifted ban ends on its own task at once, and on every other task within two seconds', async () => {
  const the = await appWithOwnRedis();
  const other = createLimiter(the, new Registry());
  const { take, isBanned } = await bannedClient(the);
  const elsewhere = async () => (await other.decide([take])).decisions[0];
  expect(await elsewhere()).toMatchObject({ reason: 'suppressed' });
  expect(await the.limiter.liftBan(take.bucket)).toBe(true);
  const liftedAt = performance.now();
  expect(await isBanned()).toBe(false);
  await vi.waitFor(async () => expect(await elsewhere()).not.toMatchObject({ reason: 'suppressed' }), {
    timeout: 2000,
  });
  expect(performance.now() - liftedAt).toBeLessThan(2000);
});

test('a ban in shadow mode refuses no call, and is not remembered', async () => {
  const { limiter } = await appWithOwnRedis();
  const shipped = limiter.takeOf('playground', 'free', 'ip:192.0.2.2');
  const take = { ...shipped, limit: { ...shipped.limit, shadow: true } };
  const enforced = limiter.takeOf('reads', 'free', 'ip:192.0.2.2');
  for (let call = 0; call < 80; call++) {
    const { decisions } = await limiter.decide([take, enforced]);
    expect(decisions[1]).toMatchObject({ allowed: true });
  }
});
