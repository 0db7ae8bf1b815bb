import { randomBytes, randomUUID } from 'node:crypto';
import { useStores } from '@minitickets/stack/test-stores';
import { expect, test, vi } from 'vitest';
import { apiKeys } from '../db/schema.ts';
import { makeApiKey } from '../plugins/api-key.ts';
import { insertApiKey } from '../queries/api-keys.ts';
import { person } from '../testing/people.ts';
import { testApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
const the = useApp(stores);

const make = (sid: string, name = 'nightly import') =>
  the.app.inject({ method: 'POST', url: '/v1/api-keys', cookies: { sid }, payload: { name } });
const withKey = (key: string, url = '/v1/sessions/current') =>
  the.app.inject({ url, headers: { authorization: `Bearer ${key}` } });

test('an API key acts as its user, and is shown once', async () => {
  const { user, sid } = await person(the);
  const made = (await make(sid)).json();
  expect(made.key).toMatch(/^mt_[\w-]{43}$/);
  expect(made.key.startsWith(made.prefix)).toBe(true);
  expect((await withKey(made.key)).json()).toEqual({ ...user, createdAt: undefined });
  const { items } = (await the.app.inject({ url: '/v1/api-keys', cookies: { sid } })).json();
  expect(items).toEqual([
    { id: made.id, name: 'nightly import', prefix: made.prefix, createdAt: made.createdAt, tier: null },
  ]);
});

test('the stored form of a key cannot be used as a key', async () => {
  const { sid } = await person(the);
  const { key } = (await make(sid)).json();
  const rows = await the.db.select().from(apiKeys);
  expect(JSON.stringify(rows)).not.toContain(key);
  for (const { keyHash } of rows) expect((await withKey(keyHash)).statusCode).toBe(401);
});

test('a revoked key is refused at once, and other keys keep working', async () => {
  const { sid } = await person(the);
  const [dead, alive] = [(await make(sid)).json(), (await make(sid)).json()];
  const revoke = () => the.app.inject({ method: 'DELETE', url: `/v1/api-keys/${dead.id}`, cookies: { sid } });
  expect((await revoke()).statusCode).toBe(204);
  expect((await withKey(dead.key)).statusCode).toBe(401);
  expect((await withKey(alive.key)).statusCode).toBe(200);
  expect((await revoke()).statusCode).toBe(404);
});

test('a user neither sees nor revokes another user’s keys', async () => {
  const [mine, theirs] = [await person(the), await person(the)];
  const { id, key } = (await make(mine.sid)).json();
  const url = `/v1/api-keys/${id}`;
  expect((await the.app.inject({ method: 'DELETE', url, cookies: { sid: theirs.sid } })).statusCode).toBe(404);
  expect((await the.app.inject({ url: '/v1/api-keys', cookies: { sid: theirs.sid } })).json().items).toEqual([]);
  expect((await withKey(key)).statusCode).toBe(200);
});

test('an API key cannot create, list or revoke keys', async () => {
  const { sid } = await person(the);
  const { id, key } = (await make(sid)).json();
  const headers = { authorization: `Bearer ${key}` };
  const calls = [
    { method: 'POST', url: '/v1/api-keys', payload: { name: 'another' } },
    { method: 'GET', url: '/v1/api-keys' },
    { method: 'DELETE', url: `/v1/api-keys/${id}` },
  ] as const;
  for (const call of calls) expect((await the.app.inject({ ...call, headers })).statusCode).toBe(403);
});

test('a user has at most five keys, even after ten concurrent requests', async () => {
  const { sid } = await person(the);
  const answers = await Promise.all(Array.from({ length: 10 }, () => make(sid)));
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5);
  expect(answers.find(({ statusCode }) => statusCode !== 201)?.json().error).toBe('change_not_possible');
});

test('the keys of a user share one budget, in the user’s tier', async () => {
  const { sid } = await person(the, { tier: 'pro' });
  const [first, second] = [(await make(sid)).json(), (await make(sid)).json()];
  await withKey(first.key);
  const { headers } = await withKey(first.key);
  expect(headers).toMatchObject({
    'x-ratelimit-limit': '300',
    'ratelimit-policy': '"api-key";q=300;w=6, "reads";q=1200;w=3',
  });
  expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(298);
  // Some flow back meanwhile.
  const left = Number((await withKey(second.key)).headers['x-ratelimit-remaining']);
  expect(left).toBeLessThan(300);
});

test('a request with a key shows each policy once, though two buckets stand behind each', async () => {
  const { sid } = await person(the);
  const { key } = (await make(sid)).json();
  const { headers } = await the.app.inject({
    method: 'POST',
    url: '/v1/bookings',
    headers: { authorization: `Bearer ${key}` },
    payload: {},
  });
  expect(headers['ratelimit-policy']).toBe('"api-key";q=60;w=6, "booking";q=10;w=10');
  expect(headers['x-ratelimit-limit']).toBe('10');
});

test('a request that its route’s policy refuses consumes no token of the key', async () => {
  const { sid } = await person(the);
  const { key } = (await make(sid)).json();
  /** Calls until the route's policy refuses, and returns how many tokens the key has then. */
  const refused = async (url: string) => {
    const headers = { authorization: `Bearer ${key}` };
    for (let call = 0; call < 200; call++) {
      const answer = await the.app.inject({ method: 'POST', url, headers, payload: {} });
      const tokens = /"api-key";r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1];
      if (answer.statusCode === 429) return Number(tokens);
    }
    return expect.fail('no call was refused');
  };
  for (const url of ['/v1/bookings', '/v1/playground/requests']) {
    const before = await refused(url);
    // The key refills ten times as fast as the routes' policies, so a call that is served in between takes nothing for long.
    for (let call = 0; call < 5; call++) expect(await refused(url)).toBeGreaterThanOrEqual(before - 1);
  }
});

test('creating keys cannot bypass their limit: a user creates ten, then one in ten minutes', async () => {
  const { sid } = await person(the);
  const answers = [];
  for (let round = 0; round < 12; round++) {
    const made = await make(sid);
    answers.push(made.statusCode);
    const url = `/v1/api-keys/${made.json().id}`;
    if (made.statusCode === 201) await the.app.inject({ method: 'DELETE', url, cookies: { sid } });
  }
  expect(answers).toEqual([...Array(10).fill(201), 429, 429]);
});

test('payments have a generous limit by user', async () => {
  const { sid } = await person(the);
  const url = `/v1/bookings/${randomUUID()}/payment`;
  const payload = { paymentToken: 'tok_accepted' };
  const { statusCode, headers } = await the.app.inject({ method: 'POST', url, cookies: { sid }, payload });
  expect(statusCode).toBe(404);
  expect(headers['ratelimit-policy']).toBe('"payment";q=30;w=30');
});

test('an invalid key is refused even next to a valid session', async () => {
  const { sid } = await person(the);
  const answer = await the.app.inject({
    url: '/v1/sessions/current',
    cookies: { sid },
    headers: { authorization: `Bearer mt_${'x'.repeat(43)}` },
  });
  expect(answer.statusCode).toBe(401);
});

test.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Bearer mt_short', `Bearer mt_${'x'.repeat(43)} `, 'mt_'])(
  'the authorization %j is nobody’s',
  async (authorization) => {
    const answer = await the.app.inject({
      url: '/v1/events',
      remoteAddress: '192.0.2.200',
      headers: { authorization },
    });
    expect(answer.statusCode).toBe(401);
  },
);

test('a key that was never issued, or is known to be revoked, is refused without a look-up', async () => {
  const { sid } = await person(the);
  const revoked = (await make(sid)).json();
  await the.app.inject({ method: 'DELETE', url: `/v1/api-keys/${revoked.id}`, cookies: { sid } });
  const query = vi.spyOn(the.db.$client, 'query');
  const lookUps = () =>
    query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('from \\"api_keys\\"')).length;
  const from = (remoteAddress: string, key: string) =>
    the.app.inject({ url: '/v1/events', remoteAddress, headers: { authorization: `Bearer ${key}` } });
  try {
    for (let call = 0; call < 3; call++) {
      expect((await from('192.0.2.201', `mt_${randomBytes(32).toString('base64url')}`)).statusCode).toBe(401);
    }
    expect(lookUps()).toBe(0);
    for (let call = 0; call < 3; call++) expect((await from('192.0.2.202', revoked.key)).statusCode).toBe(401);
    expect(lookUps()).toBe(1);
  } finally {
    query.mockRestore();
  }
});

test('wrong keys are limited by the address they come from, and a good key from there is served all the same', async () => {
  const { sid } = await person(the);
  const { key } = (await make(sid)).json();
  const remoteAddress = '192.0.2.203';
  const call = (authorization: string) =>
    the.app.inject({ url: '/v1/events', remoteAddress, headers: { authorization } });
  const statuses = [];
  for (let guess = 0; guess < 21; guess++) statuses.push((await call(`Bearer mt_${'x'.repeat(43)}`)).statusCode);
  expect(statuses).toEqual([...Array(20).fill(401), 429]);
  expect((await call(`Bearer ${key}`)).statusCode).toBe(200);
});

test('a key that was issued under an older secret lives as long as the secret is kept', async () => {
  const { user } = await person(the);
  const olderSecret = 'the secret of before, which nobody has to guess';
  const { key, ...stored } = makeApiKey({ appSecret: olderSecret, appSecretsBefore: [] });
  await insertApiKey(the.db, { userId: user.id, name: 'an old one', ...stored });
  expect((await withKey(key)).statusCode).toBe(401);
  const keeping = await testApp(stores, { appSecretsBefore: [olderSecret] });
  const headers = { authorization: `Bearer ${key}` };
  expect((await keeping.app.inject({ url: '/v1/sessions/current', headers })).statusCode).toBe(200);
});
