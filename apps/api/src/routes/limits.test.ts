import type { LimitView } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test, vi } from 'vitest';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { type TestApp, testApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
/** Two tasks that share their stores. */
const one = useApp(stores, { taskName: 'task-1' });
const other = useApp(stores, { taskName: 'task-2' });
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(one, { role: 'admin' });
});

const PLAYGROUND = '/v1/admin/limits/playground/free';
const shipped = { capacity: 10, refillTokens: 1, refillIntervalMs: 1000, onStoreFailure: 'closed', shadow: false };
const put = (url: string, change: object, sid = admin.sid) =>
  one.app.inject({ method: 'PUT', url, cookies: { sid }, payload: { suppression: null, ...shipped, ...change } });
const read = async (url: string) => (await one.app.inject({ url, cookies: { sid: admin.sid } })).json();
const limitOf = async (policy: string, tier: string): Promise<LimitView> => {
  const { items } = await read('/v1/admin/limits');
  return items.find((item: LimitView) => item.policy === policy && item.tier === tier);
};
const play = async (task: TestApp, sid: string) => {
  const { headers, statusCode } = await task.app.inject({
    method: 'POST',
    url: '/v1/playground/requests',
    cookies: { sid },
  });
  return {
    statusCode,
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
  };
};
const inForce = async (task: TestApp, limit: number) => {
  const { sid } = await person(one);
  await vi.waitFor(async () => expect((await play(task, sid)).limit).toBe(limit), { timeout: 2000 });
};

test('the limits of log-in and booking are shipped as specified', async () => {
  expect(await limitOf('login', 'all')).toMatchObject({
    ...{
      capacity: 20,
      refillTokens: 1,
      refillIntervalMs: 3000,
      onStoreFailure: 'closed',
      identity: 'ip',
      shipped: true,
    },
  });
  expect(await limitOf('booking', 'free')).toMatchObject({
    ...{ capacity: 10, refillTokens: 1, refillIntervalMs: 1000, onStoreFailure: 'closed', identity: 'user' },
  });
  expect((await limitOf('booking', 'pro')).capacity).toBeGreaterThan(10);
});

test('only admins read and change limits', async () => {
  const { sid } = await person(one, { role: 'organiser' });
  const asNobody = await one.app.inject({ url: '/v1/admin/limits' });
  expect(asNobody.statusCode).toBe(401);
  expect((await one.app.inject({ url: '/v1/admin/limits', cookies: { sid } })).statusCode).toBe(403);
  expect((await put(PLAYGROUND, { capacity: 5 }, sid)).statusCode).toBe(403);
  expect((await limitOf('playground', 'free')).shipped).toBe(true);
});

test('a change is in force on every task within two seconds, and at once on the task that made it', async () => {
  const { sid } = await person(one);
  expect(await play(one, sid)).toMatchObject({ limit: 10, remaining: 9 });
  expect((await put(PLAYGROUND, { capacity: 25 })).json()).toMatchObject({ capacity: 25, shipped: false });
  // The bucket in use gains the added capacity.
  const after = await play(one, sid);
  expect(after.limit).toBe(25);
  expect(after.remaining).toBeGreaterThanOrEqual(23);
  await inForce(other, 25);
});

test('a change survives a restart of the tasks', async () => {
  await put(PLAYGROUND, { capacity: 7 });
  const newTask = await testApp(stores, { taskName: 'task-3' });
  const { sid } = await person(one);
  expect((await play(newTask, sid)).limit).toBe(7);
});

test('the history records who changed a limit, when, from what and to what', async () => {
  await put('/v1/admin/limits/reads/pro', { capacity: 111 });
  await put('/v1/admin/limits/reads/pro', { capacity: 222 });
  const { items } = await read('/v1/admin/limits/changes?limit=2');
  expect(items).toMatchObject([
    { policy: 'reads', tier: 'pro', changedBy: admin.user.id, before: { capacity: 111 }, after: { capacity: 222 } },
    { before: { capacity: 1200 }, after: { capacity: 111 } },
  ]);
  expect(Date.parse(items[0].changedAt)).toBeGreaterThan(Date.now() - 60_000);
});

test('the history is paginated', async () => {
  for (let capacity = 1; capacity <= 3; capacity++) await put('/v1/admin/limits/reads/free', { capacity });
  const first = await read('/v1/admin/limits/changes?limit=2');
  const second = await read(`/v1/admin/limits/changes?limit=2&cursor=${first.nextCursor}`);
  expect(second.items[0].id).toBe(first.items[1].id - 1);
});

test('restoring a shipped limit is recorded too', async () => {
  const { capacity } = policies.registration.limits.all;
  await put('/v1/admin/limits/registration/all', { capacity: 3 });
  const url = '/v1/admin/limits/registration/all';
  const back = await one.app.inject({ method: 'DELETE', url, cookies: { sid: admin.sid } });
  expect(back.json()).toMatchObject({ capacity, shipped: true });
  const { items } = await read('/v1/admin/limits/changes?limit=1');
  expect(items).toMatchObject([{ before: { capacity: 3 }, after: { capacity } }]);
});

test('of ten concurrent changes, the last one recorded is in force on every task', async () => {
  const url = '/v1/admin/limits/api-key/pro';
  await Promise.all(Array.from({ length: 10 }, (_, index) => put(url, { capacity: 100 + index })));
  const { items } = await read('/v1/admin/limits/changes?limit=10');
  expect((await limitOf('api-key', 'pro')).capacity).toBe(items[0].after.capacity);
  for (let index = 0; index < 9; index++) expect(items[index].before).toEqual(items[index + 1].after);
});

const notALimit: [string, object][] = [
  ['no capacity', { capacity: 0 }],
  ['a negative capacity', { capacity: -1 }],
  ['half a token', { capacity: 1.5 }],
  [
    'numbers too large for exact arithmetic',
    { capacity: 1_000_000, refillIntervalMs: 86_400_000, refillTokens: 1_000_000 },
  ],
  ['a capacity that is a string', { capacity: '10' }],
  ['no refill', { refillTokens: 0 }],
  ['an endless refill', { refillTokens: 1e15 }],
  ['no interval', { refillIntervalMs: 0 }],
  ['an interval of more than a day', { refillIntervalMs: 86_400_001 }],
  ['a bucket that takes years to fill', { capacity: 10_000, refillIntervalMs: 86_400_000 }],
  ['an unknown failure mode', { onStoreFailure: 'maybe' }],
  ['a ban at the first refusal that practically never ends', { suppression: { strikes: 0, firstBanMs: 1e15 } }],
  [
    'a longest ban below the first',
    { suppression: { strikes: 1, firstBanMs: 10, growth: 2, longestBanMs: 5, forgetAfterMs: 1 } },
  ],
  ['an unknown field', { burst: 5 }],
  ['a shadow flag that is a string', { shadow: 'yes' }],
];
test.each(notALimit)('a limit is refused with %s', async (_, change) => {
  const before = await limitOf('bad-api-key', 'all');
  const answer = await put('/v1/admin/limits/bad-api-key/all', change);
  expect(answer.statusCode).toBe(400);
  expect(await limitOf('bad-api-key', 'all')).toEqual(before);
});

test.each(['login/pro', 'booking/all', 'booking/own', 'nothing/free', 'booking/gold'])(
  'the limit %s does not exist',
  async (name) => {
    expect([400, 404]).toContain((await put(`/v1/admin/limits/${name}`, {})).statusCode);
  },
);

test('a limit in shadow mode decides and counts, but refuses no request', async () => {
  await put('/v1/admin/limits/playground/pro', { capacity: 2, refillIntervalMs: 60_000, shadow: true });
  const { sid } = await person(one);
  const url = '/v1/playground/requests?tier=pro';
  const answers = [];
  for (let call = 0; call < 4; call++) {
    answers.push(await one.app.inject({ method: 'POST', url, cookies: { sid } }));
  }
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect(answers.at(-1)?.headers['x-ratelimit-remaining']).toBe('0');
  const { body } = await one.app.inject({ url: '/metrics' });
  expect(body).toMatch(/shadow_refusals_total\{policy="playground",tier="pro",outcome="throttled",.*\} 2/);
});

test('a changed tier applies from the user’s next request, and their bucket gains the added capacity', async () => {
  const { user, sid } = await person(one);
  const book = async () => {
    const { headers } = await one.app.inject({ method: 'POST', url: '/v1/bookings', cookies: { sid }, payload: {} });
    return { limit: headers['x-ratelimit-limit'], remaining: Number(headers['x-ratelimit-remaining']) };
  };
  for (let call = 0; call < 10; call++) await book();
  const url = `/v1/admin/users/${user.id}`;
  const setTier = (tier: string) =>
    one.app.inject({ method: 'PATCH', url, cookies: { sid: admin.sid }, payload: { tier } });
  expect((await setTier('pro')).json()).toMatchObject({ id: user.id, tier: 'pro' });
  const after = await book();
  expect(after.limit).toBe('30');
  expect(after.remaining).toBeGreaterThanOrEqual(19);
  await setTier('free');
  expect(await book()).toMatchObject({ limit: '10', remaining: 9 });
});
