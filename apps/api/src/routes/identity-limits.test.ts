import { randomUUID } from 'node:crypto';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test, vi } from 'vitest';
import { identityLimits } from '../db/schema.ts';
import { person } from '../testing/people.ts';
import { type TestApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
/** Two tasks that share their stores. */
const one = useApp(stores, { taskName: 'task-1' });
const other = useApp(stores, { taskName: 'task-2' });
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(one, { role: 'admin' });
});

const limit = { capacity: 17, refillTokens: 2, refillIntervalMs: 1000, onStoreFailure: 'closed' };
const numbers = { ...limit, suppression: null, shadow: false };
const call = (method: 'GET' | 'PUT' | 'DELETE', url: string, payload?: object, sid = admin.sid) =>
  one.app.inject({ method, url: `/v1/admin/limits/${url}`, cookies: { sid }, ...(payload && { payload }) });
const name = (policy: string, identity: string) => `${policy}/identities/${encodeURIComponent(identity)}`;
const set = (policy: string, identity: string, change: object = {}) =>
  call('PUT', name(policy, identity), { ...numbers, ...change });
const remove = (policy: string, identity: string) => call('DELETE', name(policy, identity));
const list = async () => (await call('GET', 'identities')).json().items;
const explain = async (policy: string, identity: string) =>
  (await call('GET', `${policy}/buckets/${encodeURIComponent(identity)}`)).json();
const newKey = async (sid: string) =>
  (await one.app.inject({ method: 'POST', url: '/v1/api-keys', cookies: { sid }, payload: { name: 'one' } })).json();
/** The burst and the remaining tokens that a task reports for a playground request. */
async function play(task: TestApp, caller: object) {
  const { headers } = await task.app.inject({ method: 'POST', url: '/v1/playground/requests', ...caller });
  const [, capacity] = /"playground";q=(\d+)/.exec(String(headers['ratelimit-policy'])) ?? [];
  const [, remaining] = /"playground";r=(\d+)/.exec(String(headers.ratelimit)) ?? [];
  return { capacity: Number(capacity), remaining: Number(remaining) };
}

test('a user, a key and a client IP each get a limit of their own, in the bucket that they have', async () => {
  const { user, sid } = await person(one);
  const keyed = await person(one);
  const { id, key } = await newKey(keyed.sid);
  const callers: [string, object][] = [
    [`user:${user.id}`, { cookies: { sid } }],
    [`key:${id}`, { headers: { authorization: `Bearer ${key}` } }],
    ['ip:198.51.100.7', { remoteAddress: '198.51.100.7' }],
  ];
  for (const [identity, caller] of callers) {
    for (let round = 0; round < 10; round++) await play(one, caller);
    expect((await set('playground', identity)).json()).toEqual({ policy: 'playground', identity, ...numbers });
    // The seven added tokens, and what flowed back meanwhile.
    const after = await play(one, caller);
    expect(after.capacity).toBe(17);
    expect(after.remaining).toBeGreaterThanOrEqual(6);
    expect(after.remaining).toBeLessThan(16);
    await vi.waitFor(async () => expect(await play(other, caller)).toMatchObject({ capacity: 17 }), { timeout: 2000 });
    expect(await explain('playground', identity)).toMatchObject({ state: 'stored', limit: { capacity: 17 } });
    expect(await list()).toContainEqual({ policy: 'playground', identity, ...numbers });
    expect((await remove('playground', identity)).statusCode).toBe(204);
    expect(await play(one, caller)).toMatchObject({ capacity: 10 });
    expect((await remove('playground', identity)).statusCode).toBe(404);
  }
});

test('a user’s own limit goes before their tier, and their keys share it', async () => {
  const { user, sid } = await person(one, { tier: 'pro' });
  const { key } = await newKey(sid);
  await set('playground', `user:${user.id}`, { capacity: 3 });
  const bearer = { headers: { authorization: `Bearer ${key}` } };
  expect(await play(one, { cookies: { sid } })).toMatchObject({ capacity: 3, remaining: 2 });
  expect((await play(one, bearer)).remaining).toBeLessThanOrEqual(2);
});

test('a new account that an operator gave a limit, itself or by its key, does not stand on the budget of its address', async () => {
  const young = await person(one, { createdAt: new Date() });
  const { id, key } = await newKey(young.sid);
  const policiesOf = async (caller: object) => {
    const { headers } = await one.app.inject({ method: 'POST', url: '/v1/bookings', payload: {}, ...caller });
    return [...String(headers['ratelimit-policy']).matchAll(/"([\w-]+)"/g)].map(([, policy]) => policy);
  };
  const [bySession, byKey] = [{ cookies: { sid: young.sid } }, { headers: { authorization: `Bearer ${key}` } }];
  expect(await policiesOf(bySession)).toEqual(['booking', 'new-account-bookings']);
  expect(await policiesOf(byKey)).toEqual(['api-key', 'booking', 'new-account-bookings']);
  await set('booking', `key:${id}`);
  expect(await policiesOf(bySession)).toEqual(['booking', 'new-account-bookings']);
  expect(await policiesOf(byKey)).toEqual(['api-key', 'booking']);
  await set('booking', `user:${young.user.id}`);
  expect(await policiesOf(bySession)).toEqual(['booking']);
  await remove('booking', `user:${young.user.id}`);
  expect(await policiesOf(bySession)).toEqual(['booking', 'new-account-bookings']);
  await remove('booking', `key:${id}`);
});

test.each([
  ['ip:::ffff:198.51.100.9', 'ip:198.51.100.9'],
  ['ip:2001:DB8:1:2::5', 'ip:2001:db8:1:2::/64'],
])('%s is stored as enforcement names it', async (typed, identity) => {
  expect((await set('login', typed)).json()).toMatchObject({ identity });
  expect(await list()).toContainEqual(expect.objectContaining({ policy: 'login', identity }));
  expect((await remove('login', identity)).statusCode).toBe(204);
});

test.each([
  ['login', `user:${randomUUID()}`],
  ['booking', 'user:not-a-uuid'],
  ['booking', 'account:a@b.example'],
  ['booking', 'device:1'],
  ['booking', 'ip:localhost'],
  ['booking', 'ip:198.51.100.0/24'],
  ['api-key', 'ip:198.51.100.7'],
  ['login-account', 'ip:198.51.100.7'],
  ['registration-network', 'ip:198.51.100.7'],
  ['nothing', 'ip:198.51.100.7'],
])('under %s no request is %s, so its limit is refused', async (policy, identity) => {
  expect((await set(policy, identity)).json()).toMatchObject({ status: 400, error: 'validation_failed' });
});

test.each(['user', 'key'])('a %s that does not exist gets no limit', async (kind) => {
  expect((await set('booking', `${kind}:${randomUUID()}`)).json()).toMatchObject({ status: 404, error: 'not_found' });
});

test('numbers that are no limit are refused, and change nothing', async () => {
  const before = await list();
  for (const change of [{ capacity: 0 }, { refillTokens: 1.5 }, { shadow: 'yes' }, { burst: 5 }]) {
    expect((await set('login', 'ip:198.51.100.8', change)).statusCode).toBe(400);
  }
  expect(await list()).toEqual(before);
});

test('the history records the limit of an identity from its beginning to its end', async () => {
  const identity = 'ip:198.51.100.10';
  await set('login', identity);
  await set('login', identity, { capacity: 18 });
  await remove('login', identity);
  const common = { kind: 'limit', policy: 'login', tier: null, identity, changedBy: admin.user.id };
  expect((await call('GET', 'changes?limit=3')).json().items).toMatchObject([
    { ...common, before: { capacity: 18 }, after: null },
    { ...common, before: { capacity: 17 }, after: { capacity: 18 } },
    { ...common, before: null, after: { capacity: 17 } },
  ]);
});

test('a key without a limit of its own is explained by its user’s bucket when that is what refuses', async () => {
  const { user, sid } = await person(one);
  const { id } = await newKey(sid);
  for (let round = 0; round < 12; round++) await play(one, { cookies: { sid } });
  const [ofKey, ofUser] = [await explain('playground', `key:${id}`), await explain('playground', `user:${user.id}`)];
  expect(ofKey).toMatchObject({ bucket: ofUser.bucket, state: 'stored' });
});

test('only admins read and set the limits of identities', async () => {
  const { user, sid } = await person(one);
  const url = name('booking', `user:${user.id}`);
  const answers = [
    await call('GET', 'identities', undefined, sid),
    await call('PUT', url, numbers, sid),
    await call('DELETE', url, undefined, sid),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
});

test('at most two hundred identities have a limit of their own; one of them can still be changed', async () => {
  const rows = Array.from({ length: 199 }, (_, index) => `ip:192.0.2.${index}`);
  await one.db
    .insert(identityLimits)
    .values(rows.map((identity) => ({ ...numbers, policy: 'login', identity, onStoreFailure: 'closed' as const })));
  const missing = 200 - (await list()).length;
  for (let index = 0; index < missing; index++)
    expect((await set('login', `ip:203.0.113.${index}`)).statusCode).toBe(200);
  expect((await set('login', 'ip:203.0.113.250')).json()).toMatchObject({ status: 409, error: 'change_not_possible' });
  expect((await set('login', 'ip:192.0.2.1', { capacity: 20 })).statusCode).toBe(200);
  expect(await list()).toHaveLength(200);
});
