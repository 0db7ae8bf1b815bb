import { demoPassword } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import argon2 from 'argon2';
import { expect, test, vi } from 'vitest';
import { loadScript } from './db/redis-scripts.ts';
import { person } from './testing/people.ts';
import { testApp, useApp } from './testing/test-app.ts';
import { locksWaitedFor, witnessOf } from './testing/witness.ts';

/*
 * What a password, a session and an API key open, and when each of them stops.
 */
const stores = useStores();
const made = useApp(stores, { trustedProxies: ['127.0.0.1/32'] });
const otherTask = useApp(stores, { trustedProxies: ['127.0.0.1/32'] });

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Options = { body?: object; sid?: string | undefined; key?: string; from?: string; at?: typeof made };
let lastAddress = 0;
/** Comes from an address of its own unless `from` names one, so that no test meets another's limit. */
function call(method: Method, url: string, { body, sid, key, from, at = made }: Options = {}) {
  lastAddress += 1;
  const address = from ?? `198.51.${Math.floor(lastAddress / 250)}.${lastAddress % 250}`;
  return at.app.inject({
    method,
    url,
    headers: { 'x-forwarded-for': address, ...(key && { authorization: `Bearer ${key}` }) },
    ...(body && { payload: body }),
    ...(sid && { cookies: { sid } }),
  });
}

const sidOf = ({ cookies }: Awaited<ReturnType<typeof call>>) => cookies.find(({ name }) => name === 'sid')?.value;
const register = (email: string, options: Options = {}) =>
  call('POST', '/v1/users', { ...options, body: { email, password: demoPassword, name: 'A person', ...options.body } });
const logIn = (email: string, password = demoPassword, options: Options = {}) =>
  call('POST', '/v1/sessions', { ...options, body: { email, password } });
const isLive = async (options: Options) => (await call('GET', '/v1/sessions/current', options)).statusCode === 200;
const makeKey = async (sid: string | undefined) =>
  (await call('POST', '/v1/api-keys', { sid, body: { name: 'a program' } })).json() as { id: string; key: string };
const changePassword = (sid: string | undefined, currentPassword: string, newPassword: string, options: Options = {}) =>
  call('PUT', '/v1/users/current/password', { ...options, sid, body: { currentPassword, newPassword } });

/** An account with a second session and an API key. */
async function account(email: string) {
  const registered = await register(email);
  const sid = sidOf(registered);
  const elsewhere = sidOf(await logIn(email));
  const { id, key } = await makeKey(sid);
  return { userId: registered.json().id as string, sid, elsewhere, keyId: id, key };
}

test('logging out everywhere ends every session and revokes every API key, and nobody else’s', async () => {
  const { sid, elsewhere, key } = await account('everywhere@example.test');
  const bystander = await account('bystander@example.test');
  expect((await call('DELETE', '/v1/sessions', { sid })).statusCode).toBe(204);
  for (const credential of [{ sid }, { sid: elsewhere }, { key }]) expect(await isLive(credential)).toBe(false);
  for (const credential of [{ sid: bystander.sid }, { key: bystander.key }])
    expect(await isLive(credential)).toBe(true);
});

test('when an admin ends the sessions of a user, the user’s API keys are revoked too', async () => {
  const admin = await person(made, { role: 'admin' });
  const { userId, sid, key } = await account('ended@example.test');
  expect((await call('DELETE', `/v1/admin/users/${userId}/sessions`, { sid: admin.sid })).statusCode).toBe(204);
  for (const credential of [{ sid }, { key }]) expect(await isLive(credential)).toBe(false);
});

test.each(['the end of all sessions', 'the making of the key'])(
  'an API key that is made while all sessions end does not outlive them, when %s comes first',
  async (first) => {
    const { user, sid } = await person(made);
    const witness = await witnessOf(stores);
    await witness.query('begin');
    await witness.query('select from users where id = $1 for update', [user.id]);
    const steps = [
      () => call('DELETE', '/v1/sessions', { sid }),
      () => call('POST', '/v1/api-keys', { sid, body: { name: 'a program' } }),
    ];
    if (first === 'the making of the key') steps.reverse();
    const answers = [];
    for (const [index, step] of steps.entries()) {
      answers.push(step());
      await vi.waitFor(async () => expect(await locksWaitedFor(witness)).toBe(index + 1));
    }
    await witness.query('commit');
    for (const { statusCode, body } of await Promise.all(answers)) {
      if (statusCode === 201) expect(await isLive({ key: JSON.parse(body).key })).toBe(false);
      else expect([204, 401]).toContain(statusCode);
    }
  },
);

test('if the sessions cannot be ended, the API keys stay as well: both end or neither', async () => {
  const { sid, key } = await account('neither@example.test');
  const { sha: endAll } = loadScript('sessions-shared.lua', 'sessions-end-all.lua');
  const run = made.redis.evalsha.bind(made.redis) as (...args: unknown[]) => Promise<unknown>;
  const failing = vi.spyOn(made.redis, 'evalsha').mockImplementation((async (sha: string, ...args: unknown[]) => {
    if (sha === endAll) throw new Error('Command timed out');
    return run(sha, ...args);
  }) as never);
  try {
    expect((await call('DELETE', '/v1/sessions', { sid })).json()).toMatchObject({ error: 'store_unavailable' });
  } finally {
    failing.mockRestore();
  }
  for (const credential of [{ sid }, { key }]) expect(await isLive(credential)).toBe(true);
});

test('a change of password ends every other session and API key, and goes on in a new session', async () => {
  const email = 'changes@example.test';
  const { sid, elsewhere, key } = await account(email);
  const changed = await changePassword(sid, demoPassword, 'a new password of mine');
  expect([changed.statusCode, changed.body]).toEqual([204, '']);
  for (const credential of [{ sid }, { sid: elsewhere }, { key }]) expect(await isLive(credential)).toBe(false);
  expect(await isLive({ sid: sidOf(changed) })).toBe(true);
  expect((await logIn(email)).statusCode).toBe(401);
  expect((await logIn(email, 'a new password of mine')).statusCode).toBe(201);
});

test('a change of password needs the current one, and a session', async () => {
  const email = 'steals@example.test';
  const { sid, elsewhere, key } = await account(email);
  const refused = await changePassword(sid, 'not the password', 'a new password of mine');
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ path: '/currentPassword' }] });
  expect((await changePassword(undefined, demoPassword, 'a new password of mine')).statusCode).toBe(401);
  expect((await changePassword(undefined, demoPassword, 'a new password of mine', { key })).statusCode).toBe(403);
  for (const credential of [{ sid }, { sid: elsewhere }, { key }]) expect(await isLive(credential)).toBe(true);
  expect((await logIn(email)).statusCode).toBe(201);
});

test('a stolen session guesses the password ten times, and then once a minute', async () => {
  const { sid } = await account('guessed@example.test');
  const statuses = [];
  for (let guess = 0; guess < 11; guess++) {
    statuses.push((await changePassword(sid, `guess ${guess}`, 'a new password of mine')).statusCode);
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
});

test('of two changes of password at the same moment one is carried out', async () => {
  const { sid } = await account('twice@example.test');
  const answers = await Promise.all(
    [made, otherTask].map((at, index) => changePassword(sid, demoPassword, `a new password ${index}`, { at })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
});

test('a log-in with the old password that meets the change of it begins no session', async () => {
  const email = 'meets@example.test';
  const { sid } = await account(email);
  let verified = () => {};
  let goOn = () => {};
  const isVerified = new Promise<void>((resolve) => {
    verified = resolve;
  });
  const isChanged = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const verify = argon2.verify;
  const held = vi.spyOn(argon2, 'verify').mockImplementationOnce(async (...args) => {
    const matches = await verify(...args);
    verified();
    await isChanged;
    return matches;
  });
  try {
    const entering = logIn(email);
    await isVerified;
    // By another task: this one verifies one password at a time.
    const changed = await changePassword(sid, demoPassword, 'a new password of mine', { at: otherTask });
    expect(changed.statusCode).toBe(204);
    goOn();
    const entered = await entering;
    expect([entered.statusCode, sidOf(entered)]).toEqual([401, undefined]);
  } finally {
    held.mockRestore();
  }
});

test.each([
  ['password1', 'a common one'],
  ['PASSWORD1', 'a common one in capitals'],
  ['guessable@example.test', 'the e-mail'],
  ['Guessable', 'the part of the e-mail before the @'],
  ['A Person', 'the name'],
])('a password that attackers try first is refused: %s (%s)', async (password) => {
  const refused = await register('guessable@example.test', { body: { password } });
  expect(refused.json()).toMatchObject({ status: 400, error: 'validation_failed', errors: [{ path: '/password' }] });
});

test.each(['password1', 'PASSWORD1', 'A person', 'common@example.test'])(
  'nor can a password be changed to one that attackers try first: %s',
  async (newPassword) => {
    await register('common@example.test');
    const sid = sidOf(await logIn('common@example.test'));
    const refused = await changePassword(sid, demoPassword, newPassword);
    expect(refused.json()).toMatchObject({ status: 400, errors: [{ path: '/newPassword' }] });
  },
);

test('where the demo is not allowed, its public password is refused for an account, in any case', async () => {
  const at = await testApp(stores, { demoAllowed: false, trustedProxies: ['127.0.0.1/32'] });
  for (const password of [demoPassword, demoPassword.toUpperCase()]) {
    const refused = await register('public@example.test', { at, body: { password } });
    expect(refused.json()).toMatchObject({ status: 400, error: 'validation_failed', errors: [{ path: '/password' }] });
  }
  const own = 'a password of mine';
  const sid = sidOf(await register('public@example.test', { at, body: { password: own } }));
  const changed = await changePassword(sid, own, demoPassword, { at });
  expect(changed.json()).toMatchObject({ status: 400, errors: [{ path: '/newPassword' }] });
});

test('registration tells of ten e-mails whether they have an account, and then treats every e-mail alike', async () => {
  await register('taken@example.test');
  const from = '203.0.113.77';
  const statuses = [];
  for (let probe = 0; probe < 10; probe++) statuses.push((await register('taken@example.test', { from })).statusCode);
  expect(statuses).toEqual(Array(10).fill(409));
  const [taken, free] = [await register('taken@example.test', { from }), await register('free@example.test', { from })];
  expect([taken.statusCode, free.statusCode]).toEqual([429, 429]);
  expect(free.json()).toEqual(taken.json());
  expect((await register('free@example.test')).statusCode).toBe(201);
});

test('registrations that succeed use nothing of what may be learned', async () => {
  const from = '203.0.113.78';
  for (let pupil = 0; pupil < 15; pupil++) {
    expect((await register(`pupil-${pupil}@example.test`, { from })).statusCode).toBe(201);
  }
  expect((await register('pupil-0@example.test', { from })).statusCode).toBe(409);
});

test('an admin sees and revokes the API keys of a user; nobody else does', async () => {
  const admin = await person(made, { role: 'admin' });
  const organiser = await person(made, { role: 'organiser' });
  const { userId, keyId, key } = await account('keys@example.test');
  const url = `/v1/admin/users/${userId}/api-keys`;
  expect((await call('GET', url, { sid: organiser.sid })).statusCode).toBe(403);
  expect((await call('DELETE', `${url}/${keyId}`, { sid: organiser.sid })).statusCode).toBe(403);
  const listed = await call('GET', url, { sid: admin.sid });
  expect(listed.json()).toMatchObject({ items: [{ id: keyId }], nextCursor: null });
  expect(listed.body).not.toContain(key);
  expect((await call('DELETE', `${url}/${keyId}`, { sid: admin.sid })).statusCode).toBe(204);
  expect(await isLive({ key })).toBe(false);
  expect((await call('DELETE', `${url}/${keyId}`, { sid: admin.sid })).statusCode).toBe(404);
});
