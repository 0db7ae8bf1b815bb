import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test, vi } from 'vitest';
import { touchSession } from '../queries/sessions.ts';
import { listTiers } from '../queries/tiers.ts';
import { person } from '../testing/people.ts';
import { type TestApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
/** Two tasks that share their stores. */
const made = useApp(stores, { taskName: 'task-1' });
const other = useApp(stores, { taskName: 'task-2' });
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  admin = await person(made, { role: 'admin' });
});

const find = (query: string, sid = admin.sid) => made.app.inject({ url: `/v1/admin/users${query}`, cookies: { sid } });
const byEmail = (email: string) => find(`?email=${encodeURIComponent(email)}`);

test('an account is found by every spelling of its e-mail address, and shown without its hash', async () => {
  const { user } = await person(made, { tier: 'pro' });
  const answer = await byEmail(` ${user.email.toUpperCase()} `);
  expect(answer.json()).toEqual({ items: [{ ...user, createdAt: undefined }], nextCursor: null });
});

test('a partial e-mail address or a pattern finds no account', async () => {
  const { user } = await person(made);
  for (const email of [user.email.slice(0, -1), '%', user.email.replace(/^./, '_'), 'nobody@example.test']) {
    expect((await byEmail(email)).json()).toEqual({ items: [], nextCursor: null });
  }
});

test('an admin moves a user to another tier, whatever the case of the id', async () => {
  const { user, sid } = await person(made);
  const [{ id }] = (await byEmail(user.email)).json().items;
  const moved = await made.app.inject({
    method: 'PATCH',
    url: `/v1/admin/users/${id.toUpperCase()}`,
    cookies: { sid: admin.sid },
    payload: { tier: 'pro' },
  });
  expect(moved.statusCode).toBe(200);
  expect((await byEmail(user.email)).json().items).toMatchObject([{ tier: 'pro' }]);
  expect(await touchSession(made.redis, sid)).toMatchObject({ tier: 'pro' });
});

test.each([
  '',
  '?email=',
  '?email=%20',
  `?email=${'a'.repeat(255)}`,
  '?email=a&name=b',
  '?email=a&email=b',
  '?email=%00',
])('“%s” is invalid', async (query) => {
  expect((await find(query)).json()).toMatchObject({ status: 400, error: 'validation_failed' });
});

test('only admins see accounts', async () => {
  const { sid } = await person(made, { role: 'organiser' });
  expect((await find('?email=a@b.example', sid)).statusCode).toBe(403);
});

type Method = 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
const as = (sid: string, method: Method, url: string, payload?: object) =>
  made.app.inject({ method, url, cookies: { sid }, ...(payload && { payload }) });
const asAdmin = (method: Method, url: string, payload?: object) => as(admin.sid, method, url, payload);
const addTier = (name: string, basedOn = 'free') => asAdmin('PUT', `/v1/admin/tiers/${name}`, { basedOn });
const giveUser = (id: string, tier: string) => asAdmin('PATCH', `/v1/admin/users/${id}`, { tier });
const giveKey = (id: string, key: string, tier: string | null) =>
  asAdmin('PATCH', `/v1/admin/users/${id}/api-keys/${key}`, { tier });
const setLimit = (url: string, change: object = {}) =>
  asAdmin('PUT', `/v1/admin/limits/${url}`, {
    ...{ capacity: 100, refillTokens: 20, refillIntervalMs: 1000, onStoreFailure: 'closed' },
    ...{ suppression: null, shadow: false, ...change },
  });
const newKey = async (sid: string) => (await as(sid, 'POST', '/v1/api-keys', { name: 'a program' })).json();
const history = async () => (await asAdmin('GET', '/v1/admin/limits/changes?limit=5')).json().items;
/** The burst that a task grants to a caller's bookings. */
const burst = async (task: TestApp, caller: object) => {
  const call = { method: 'POST', url: '/v1/bookings', payload: {}, ...caller } as const;
  return /"booking";q=(\d+)/.exec(String((await task.app.inject(call)).headers['ratelimit-policy']))?.[1];
};

test('an added tier with its own limit is in force for a user and for a key, on every task within two seconds', async () => {
  expect((await addTier('partner')).json()).toEqual({ name: 'partner', basedOn: 'free', shipped: false });
  expect((await setLimit('booking/partner')).json()).toMatchObject({ tier: 'partner', capacity: 100, shipped: false });
  const { user, sid } = await person(made);
  const keyed = await person(made);
  const { id, key } = await newKey(keyed.sid);
  expect((await giveUser(user.id, 'partner')).json()).toEqual({ ...user, createdAt: undefined, tier: 'partner' });
  expect((await giveKey(keyed.user.id, id, 'partner')).json()).toMatchObject({ id, tier: 'partner' });
  const bearer = { headers: { authorization: `Bearer ${key}` } };
  for (const caller of [{ cookies: { sid } }, bearer]) {
    expect(await burst(made, caller)).toBe('100');
    await vi.waitFor(async () => expect(await burst(other, caller)).toBe('100'), { timeout: 2000 });
  }
  expect(await burst(made, { cookies: { sid: keyed.sid } })).toBe('10');
  expect((await as(keyed.sid, 'GET', '/v1/api-keys')).json().items).toMatchObject([{ id, tier: 'partner' }]);
  await giveKey(keyed.user.id, id, null);
  expect(await burst(made, bearer)).toBe('10');
});

test('a tier can be based on another, and its limits be returned to that one’s', async () => {
  await addTier('agency', 'free');
  await setLimit('payment/agency', { capacity: 7 });
  await addTier('agency', 'pro');
  const limits = async () => {
    const { items } = (await asAdmin('GET', '/v1/admin/limits')).json();
    return items.filter(({ tier }: { tier: string }) => tier === 'agency');
  };
  const named = (policy: string) => expect.objectContaining({ policy, capacity: policy === 'payment' ? 7 : 30 });
  expect(await limits()).toEqual(expect.arrayContaining([named('payment'), named('booking')]));
  const reset = await asAdmin('DELETE', '/v1/admin/limits/payment/agency');
  expect(reset.json()).toMatchObject({ capacity: 90, shipped: true });
});

test('a tier in use is not removed; an unused one is removed together with its limits', async () => {
  await addTier('trial');
  await setLimit('booking/trial', { capacity: 3 });
  const { user, sid } = await person(made);
  const { id } = await newKey(sid);
  const remove = async () => (await asAdmin('DELETE', '/v1/admin/tiers/trial')).statusCode;
  await giveUser(user.id, 'trial');
  expect(await remove()).toBe(409);
  await giveUser(user.id, 'free');
  await giveKey(user.id, id, 'trial');
  expect(await remove()).toBe(409);
  // A revoked key never acts again.
  await as(sid, 'DELETE', `/v1/api-keys/${id}`);
  expect(await remove()).toBe(204);
  expect(await remove()).toBe(404);
  await addTier('trial');
  await giveUser(user.id, 'trial');
  expect(await burst(made, { cookies: { sid } })).toBe('10');
});

test('of removing a tier and giving it at the same time, one succeeds', async () => {
  const { user } = await person(made);
  for (let round = 0; round < 10; round++) {
    await addTier('brief');
    const [gift, removal] = await Promise.all([giveUser(user.id, 'brief'), asAdmin('DELETE', '/v1/admin/tiers/brief')]);
    expect([
      [200, 409],
      [400, 204],
    ]).toContainEqual([gift.statusCode, removal.statusCode]);
    const { tier } = (await byEmail(user.email)).json().items[0];
    expect((await listTiers(made.db)).map(({ name }) => name)).toContain(tier);
    await giveUser(user.id, 'free');
  }
});

test.each(['free', 'pro'])('the shipped tier %s can be neither changed nor removed', async (tier) => {
  for (const answer of [await addTier(tier, 'pro'), await asAdmin('DELETE', `/v1/admin/tiers/${tier}`)]) {
    expect([answer.statusCode, answer.json().error]).toEqual([409, 'change_not_possible']);
  }
});

test.each(['all', 'own', 'Partner', '1st', '-a', 'a_b', `a${'b'.repeat(30)}`, '%00', 'é', '%20'])(
  '“%s” is no name for a tier',
  async (name) => {
    expect((await addTier(name)).json()).toMatchObject({ status: 400, error: 'validation_failed' });
  },
);

test.each(['partner2', 'all', 'own', '', 7, null])(
  'nobody is given the tier %j, which does not exist',
  async (tier) => {
    const { user, sid } = await person(made);
    expect((await giveUser(user.id, tier as string)).statusCode).toBe(400);
    const { id } = await newKey(sid);
    // Null takes the key's tier away.
    expect((await giveKey(user.id, id, tier as string)).statusCode).toBe(tier === null ? 200 : 400);
    expect((await byEmail(user.email)).json().items).toMatchObject([{ tier: 'free' }]);
  },
);

test('a key is given a tier only under its own user', async () => {
  const [mine, theirs] = [await person(made), await person(made)];
  const { id } = await newKey(mine.sid);
  expect((await giveKey(theirs.user.id, id, 'pro')).statusCode).toBe(404);
  expect((await as(mine.sid, 'GET', '/v1/api-keys')).json().items).toMatchObject([{ tier: null }]);
});

test('only admins change tiers', async () => {
  const { user, sid } = await person(made, { role: 'organiser' });
  const { id } = await newKey(sid);
  for (const [method, url, payload] of [
    ['GET', '/v1/admin/tiers'],
    ['PUT', '/v1/admin/tiers/mine', { basedOn: 'pro' }],
    ['DELETE', '/v1/admin/tiers/mine'],
    ['PATCH', `/v1/admin/users/${user.id}`, { tier: 'pro' }],
    ['PATCH', `/v1/admin/users/${user.id}/api-keys/${id}`, { tier: 'pro' }],
  ] as const) {
    expect([url, (await as(sid, method, url, payload)).statusCode]).toEqual([url, 403]);
  }
});

test('the history records who added a tier and who gave it to whom, and not what changed nothing', async () => {
  const { user, sid } = await person(made);
  const { id } = await newKey(sid);
  await addTier('recorded', 'pro');
  await giveUser(user.id, 'recorded');
  await giveUser(user.id, 'recorded');
  await giveKey(user.id, id, 'pro');
  await giveUser(user.id, 'free');
  await asAdmin('DELETE', '/v1/admin/tiers/recorded');
  const by = { changedBy: admin.user.id };
  expect(await history()).toMatchObject([
    { ...by, kind: 'tier', tier: 'recorded', before: { basedOn: 'pro' }, after: null },
    { ...by, kind: 'given', identity: `user:${user.id}`, before: { tier: 'recorded' }, after: { tier: 'free' } },
    { ...by, kind: 'given', identity: `key:${id}`, before: { tier: null }, after: { tier: 'pro' } },
    { ...by, kind: 'given', identity: `user:${user.id}`, before: { tier: 'free' }, after: { tier: 'recorded' } },
    { ...by, kind: 'tier', tier: 'recorded', before: null, after: { basedOn: 'pro' } },
  ]);
});

test('there are at most twenty tiers, even after concurrent requests', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => addTier(`many-${index}`)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 409]));
  expect((await asAdmin('GET', '/v1/admin/tiers')).json().items).toHaveLength(20);
});
