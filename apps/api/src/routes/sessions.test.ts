import { createHash } from 'node:crypto';
import { demoPassword } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { expect, test, vi } from 'vitest';
import { touchSession } from '../queries/sessions.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { person } from '../testing/people.ts';
import { testApp, useApp } from '../testing/test-app.ts';

const stores = useStores();
const made = useApp(stores, { trustedProxies: ['127.0.0.1/32'] });

let lastAddress = 0;
/** Each call comes from a new address, so that tests do not share limits. */
function call(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  options: { body?: unknown; sid?: string; headers?: Record<string, string> } = {},
) {
  lastAddress += 1;
  return made.app.inject({
    method,
    url,
    headers: { 'x-forwarded-for': `198.51.${Math.floor(lastAddress / 250)}.${lastAddress % 250}`, ...options.headers },
    ...(options.body !== undefined && { payload: options.body as object }),
    ...(options.sid !== undefined && { cookies: { sid: options.sid } }),
  });
}

const register = (email: string) =>
  call('POST', '/v1/users', { body: { email, password: demoPassword, name: 'Test Person' } });
const logIn = (email: string, options: Parameters<typeof call>[2] = {}) =>
  call('POST', '/v1/sessions', { ...options, body: { email, password: demoPassword } });
const sidOf = (response: Awaited<ReturnType<typeof call>>) => response.cookies.find(({ name }) => name === 'sid');
const statusWith = async (sid: string | undefined) =>
  (await call('GET', '/v1/sessions/current', { sid: sid ?? '' })).statusCode;

test('registration returns the user without a hash, and starts a session', async () => {
  const response = await register('first@example.test');
  expect(response.statusCode).toBe(201);
  expect(Object.keys(response.json()).sort()).toEqual(['email', 'id', 'name', 'role', 'tier']);
  expect(await statusWith(sidOf(response)?.value)).toBe(200);
});

test('two spellings of an e-mail address are one account', async () => {
  await register('Case@Example.test');
  for (const spelling of ['case@example.TEST', ' CASE@EXAMPLE.TEST ', 'case@ｅxample.test']) {
    expect((await register(spelling)).json()).toMatchObject({ status: 409, error: 'email_taken' });
  }
  expect((await logIn('CASE@example.test')).statusCode).toBe(201);
});

test('eight concurrent registrations of one e-mail address create one account', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => register('race@example.test')));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(7).fill(409)]);
});

test('the sid is 256 random bits, HttpOnly and SameSite=Lax, and Secure exactly on HTTPS', async () => {
  await register('cookie@example.test');
  const plain = sidOf(await logIn('cookie@example.test'));
  expect(plain).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  expect(plain).not.toHaveProperty('secure');
  expect(Buffer.from(plain?.value ?? '', 'base64url')).toHaveLength(32);
  expect(sidOf(await logIn('cookie@example.test', { headers: { 'x-forwarded-proto': 'https' } }))).toHaveProperty(
    'secure',
    true,
  );
});

test('Redis stores the hash of a sid, never the sid', async () => {
  await register('stored@example.test');
  const sid = sidOf(await logIn('stored@example.test'))?.value ?? '';
  expect(await made.redis.exists(`session:${createHash('sha256').update(sid).digest('hex')}`)).toBe(1);
  expect(await made.redis.exists(`session:${sid}`)).toBe(0);
});

test('Redis stores only what authorises or limits a request, under pseudonymous keys: no name, no e-mail address', async () => {
  const { id } = (await register('nobody-reads-this@example.test')).json();
  const session = await logIn('nobody-reads-this@example.test');
  const key = `session:${createHash('sha256')
    .update(sidOf(session)?.value ?? '')
    .digest('hex')}`;
  const stored = await made.redis.hgetall(key);
  expect(Object.keys(stored).sort()).toEqual(['bornAt', 'endsAt', 'id', 'owner', 'role', 'tier']);
  expect(stored.owner).toMatch(/^[\w-]{22}$/);
  const names = await made.redis.keys(`${stores.redisKeyPrefix}*`);
  expect(names).toContain(`${stores.redisKeyPrefix}sessions-of:${stored.owner}`);
  expect(names.filter((name) => name.includes(id))).toEqual([]);
});

test('a request with a session sends no query about its user to PostgreSQL', async () => {
  const { sid } = await person(made);
  const query = vi.spyOn(made.db.$client, 'query');
  const askedOfUsers = () =>
    query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('from \\"users\\"')).length;
  try {
    await call('POST', '/v1/playground/requests', { sid });
    expect(askedOfUsers()).toBe(0);
    await call('GET', '/v1/sessions/current', { sid });
    expect(askedOfUsers()).toBe(1);
  } finally {
    query.mockRestore();
  }
});

test('a session key always expires', async () => {
  const sid = sidOf(await register('ends@example.test'))?.value ?? '';
  const left = await made.redis.pttl(`session:${createHash('sha256').update(sid).digest('hex')}`);
  expect(left).toBeGreaterThan(6 * 24 * 3_600_000);
});

test('log-in issues a new session id and ends the old session (no session fixation)', async () => {
  await register('fixed@example.test');
  const planted = 'planted-by-somebody-else';
  const first = sidOf(await logIn('fixed@example.test', { sid: planted }))?.value;
  expect(first).not.toBe(planted);
  expect(await statusWith(planted)).toBe(401);
  const second = sidOf(await logIn('fixed@example.test', { sid: first ?? '' }))?.value;
  expect(await statusWith(first)).toBe(401);
  expect(await statusWith(second)).toBe(200);
});

test('log-out ends this session, and log-out everywhere ends all of them', async () => {
  await register('leaves@example.test');
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(async () => sidOf(await logIn('leaves@example.test'))?.value ?? ''),
  );
  expect((await call('DELETE', '/v1/sessions/current', { sid: one ?? '' })).statusCode).toBe(204);
  expect([await statusWith(one), await statusWith(two), await statusWith(three)]).toEqual([401, 200, 200]);
  expect((await call('DELETE', '/v1/sessions', { sid: two ?? '' })).statusCode).toBe(204);
  expect([await statusWith(two), await statusWith(three)]).toEqual([401, 401]);
});

test('a stale cookie in front of a valid one logs nobody out, and log-out ends every session presented', async () => {
  await register('twice@example.test');
  const live = async () => sidOf(await logIn('twice@example.test'))?.value ?? '';
  const present = (method: 'GET' | 'DELETE', ...sids: string[]) =>
    call(method, '/v1/sessions/current', { headers: { cookie: sids.map((sid) => `sid=${sid}`).join('; ') } });
  const [one, other] = [await live(), await live()];
  expect((await present('GET', 'stale', one)).statusCode).toBe(200);
  expect((await present('GET', one, 'stale')).statusCode).toBe(200);
  expect((await present('DELETE', 'stale', one, other)).statusCode).toBe(204);
  expect([await statusWith(one), await statusWith(other)]).toEqual([401, 401]);

  const [planted, own] = [await live(), await live()];
  await logIn('twice@example.test', { headers: { cookie: `sid=${planted}; sid=${own}` } });
  expect([await statusWith(planted), await statusWith(own)]).toEqual([401, 401]);
});

test('log-out without a session, or with an empty JSON body, succeeds', async () => {
  expect(
    (await call('DELETE', '/v1/sessions/current', { headers: { 'content-type': 'application/json' } })).statusCode,
  ).toBe(204);
});

test('an unknown e-mail address and a wrong password get the same response', async () => {
  await register('known@example.test');
  const wrong = await call('POST', '/v1/sessions', {
    body: { email: 'known@example.test', password: 'not the password' },
  });
  const unknown = await call('POST', '/v1/sessions', {
    body: { email: 'unknown@example.test', password: 'not the password' },
  });
  expect(wrong.statusCode).toBe(401);
  expect(unknown.json()).toEqual(wrong.json());
});

test('a user’s twenty-first session ends their oldest one', async () => {
  const oldest = sidOf(await register('many@example.test'))?.value;
  for (let session = 0; session < 20; session += 1) await logIn('many@example.test');
  expect(await statusWith(oldest)).toBe(401);
});

test('a log-in concurrent with a change of tier starts a session in the new tier', { timeout: 60_000 }, async () => {
  const { id } = (await register('tiers@example.test')).json();
  const admin = await person(made, { role: 'admin' });
  for (let round = 0; round < 10; round++) {
    const tier = round % 2 === 0 ? 'pro' : 'free';
    const patch = {
      method: 'PATCH',
      url: `/v1/admin/users/${id}`,
      cookies: { sid: admin.sid },
      payload: { tier },
    } as const;
    const [entered] = await Promise.all([logIn('tiers@example.test'), made.app.inject(patch)]);
    const { value = '' } = sidOf(entered) ?? {};
    // The session's own copy: the operation that shows an account reads PostgreSQL.
    expect(await touchSession(made.redis, value)).toMatchObject({ tier });
  }
});

test.each<[string, (key: string) => Promise<unknown>]>([
  ['of another type', (key) => made.redis.multi().del(key).rpush(key, 'a').exec()],
  ['without an end', (key) => made.redis.hdel(key, 'endsAt')],
  ['with an expiry that is not a number', (key) => made.redis.hset(key, 'endsAt', 'nan')],
  ['that never ends', (key) => made.redis.hset(key, 'endsAt', 'inf')],
  ['with an expiry in words', (key) => made.redis.hset(key, 'endsAt', 'tomorrow')],
  ['of no user', (key) => made.redis.hset(key, 'id', 'nobody')],
  ['with an unknown role', (key) => made.redis.hset(key, 'role', 'owner')],
  ['whose tier is no name of one', (key) => made.redis.hset(key, 'tier', 'Gold!')],
])('a session %s is none, and is removed', async (_, spoil) => {
  const { sid } = await person(made);
  const key = `session:${createHash('sha256').update(sid).digest('hex')}`;
  await spoil(key);
  expect(await statusWith(sid)).toBe(401);
  expect(await made.redis.exists(key)).toBe(0);
});

test('a corrupt set of sessions blocks neither log-in nor log-out nor log-out everywhere', async () => {
  const { id } = (await register('listed@example.test')).json();
  const list = `sessions-of:${sessionOwner(made.config.appSecret, id)}`;
  const spoil = () => made.redis.set(list, 'junk');
  await spoil();
  const sid = sidOf(await logIn('listed@example.test'))?.value ?? '';
  expect(await statusWith(sid)).toBe(200);
  await spoil();
  expect((await call('DELETE', '/v1/sessions/current', { sid })).statusCode).toBe(204);
  const another = sidOf(await logIn('listed@example.test'))?.value ?? '';
  await spoil();
  expect((await call('DELETE', '/v1/sessions', { sid: another })).statusCode).toBe(204);
  expect(await made.redis.exists(list)).toBe(0);
});

test.each<Record<string, string>>([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
])('a cross-origin write is refused: %j', async (headers) => {
  const response = await call('POST', '/v1/sessions', {
    headers,
    body: { email: 'a@b.example', password: 'x' },
  });
  expect(response.json()).toMatchObject({ status: 403, error: 'cross_origin' });
});

test('a write from our own pages is served', async () => {
  await register('own@example.test');
  const headers = { origin: 'http://localhost:8080', host: 'localhost:8080', 'sec-fetch-site': 'same-origin' };
  expect((await logIn('own@example.test', { headers })).statusCode).toBe(201);
});

test.each([
  [{ email: 'a@b.example', password: 'long enough', name: 'x', role: 'admin' }],
  [{ email: 'not an e-mail', password: 'long enough', name: 'x' }],
  [{ email: 'a@b.example', password: 'short', name: 'x' }],
  [{ email: 'a@b.example', password: 'long enough', name: 'line\nbreak' }],
  [{ email: 'a@b.example', password: 'long enough', name: 'nul\u0000' }],
  [[]],
  [null],
])('an invalid registration is refused and names the field: %j', async (body) => {
  const response = await call('POST', '/v1/users', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.json()).toMatchObject({ status: 400, error: 'validation_failed' });
  expect(response.json().errors.length).toBeGreaterThan(0);
});

test('a body that is not UTF-8 is refused, never stored as something else', async () => {
  const send = (payload: Buffer | string, type = 'application/json') =>
    made.app.inject({ method: 'POST', url: '/v1/users', headers: { 'content-type': type }, payload });
  const body = JSON.stringify({ email: 'maerz@example.test', password: demoPassword, name: 'März' });
  const malformed = { status: 400, error: 'malformed_request' };
  expect((await send(Buffer.from(body, 'latin1'))).json()).toMatchObject(malformed);
  expect((await send(body, 'application/json; charset=iso-8859-1')).json()).toMatchObject(malformed);
  expect((await send(body.replace('ä', '\\ud800'))).json()).toMatchObject(malformed);
  expect((await send(body, 'application/json; charset=UTF-8')).json()).toMatchObject({ name: 'März' });
});

test('a name without visible text, or with hidden characters, is refused', async () => {
  for (const name of ['\u200b', '\u2800', '\u3164', '\ue000', 'Ann\u202enhoJ', 'Ann\u2028Bob']) {
    const registered = await call('POST', '/v1/users', {
      body: { email: 'hidden@example.test', password: demoPassword, name },
    });
    expect(registered.json()).toMatchObject({ error: 'validation_failed', errors: [{ path: '/name' }] });
  }
});

test('malformed JSON, another media type and an oversized body are problems, not server errors', async () => {
  const send = (payload: string, type: string) =>
    call('POST', '/v1/users', { headers: { 'content-type': type }, body: payload });
  expect((await send('{"email":', 'application/json')).json()).toMatchObject({
    status: 400,
    error: 'malformed_request',
  });
  expect((await send('<x/>', 'text/xml')).json()).toMatchObject({ status: 415, error: 'unsupported_media_type' });
  expect((await send(JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json')).json()).toMatchObject({
    status: 413,
    error: 'too_large',
  });
  expect((await send('{"__proto__": {"x": 1}}', 'application/json')).statusCode).toBe(400);
});

test('where the demo is off, the public demo password opens no account, and the response says why', async () => {
  const { app } = await testApp(stores, { demoAllowed: false });
  await register('has-the-demo-password@example.test');
  for (const email of ['has-the-demo-password@example.test', 'nobody@example.test']) {
    const payload = { email, password: demoPassword };
    const answer = await app.inject({ method: 'POST', url: '/v1/sessions', payload });
    expect(answer.json()).toMatchObject({ status: 403, error: 'forbidden', detail: expect.stringContaining('demo') });
  }
});
