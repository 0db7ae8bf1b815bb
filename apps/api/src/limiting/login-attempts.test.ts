import { expect, test } from 'vitest';
import { deriveKey } from '../keys.ts';
import { readBucket } from '../queries/limit-buckets.ts';
import { countLoginFailure, deleteOldLoginFailures, MAX_CONSECUTIVE_FAILURES } from '../queries/login-failures.ts';
import { findUser } from '../queries/users.ts';
import { accountOf, bucketNames } from '../rules/client-identity.ts';
import { explainBucket } from '../rules/explain-bucket.ts';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';
import { nameOfFailures } from './login-attempts.ts';

const the = useApp(undefined, { trustedProxies: ['127.0.0.1'] });

/** Names buckets and counts as the application does. */
const nameOf = () => bucketNames(deriveKey(the.config.appSecret, 'limit-identity'));

/** Failed attempts at one account. */
const BUDGET = policies['login-account'].limits.all.capacity;
const PASSWORD = 'a password that is long enough';
let clients = 0;
/** Returns a new client address for each call, so that only the account's budget can refuse it. */
function elsewhere() {
  clients++;
  return { 'x-forwarded-for': `198.19.${clients >> 8}.${clients & 255}` };
}

async function register() {
  const email = `attempts-${++clients}@example.test`;
  const payload = { email, password: PASSWORD, name: 'Somebody' };
  const { statusCode } = await the.app.inject({ method: 'POST', url: '/v1/users', headers: elsewhere(), payload });
  expect(statusCode).toBe(201);
  return email;
}

async function logIn(email: string, password: string, device?: string) {
  const answer = await the.app.inject({
    method: 'POST',
    url: '/v1/sessions',
    headers: elsewhere(),
    payload: { email, password },
    ...(device !== undefined && { cookies: { device } }),
  });
  return { ...answer, statusCode: answer.statusCode, device: answer.cookies.find(({ name }) => name === 'device') };
}

test('failed log-ins to one account are limited across all client addresses', async () => {
  const email = await register();
  for (let attempt = 0; attempt < BUDGET; attempt++) expect((await logIn(email, 'wrong')).statusCode).toBe(401);
  const stopped = await logIn(email, PASSWORD);
  expect(stopped.statusCode).toBe(429);
  expect(stopped.json()).toMatchObject({ error: 'rate_limited' });
});

test('the wait that an empty budget names is exact: the token of that instant is the next one', async () => {
  const email = await register();
  for (let attempt = 0; attempt < BUDGET; attempt++) await logIn(email, 'wrong');
  const bucket = nameOf()('login-account', accountOf(email));
  const nextAt = async () => {
    const { nextAllowedAt, clock } = explainBucket('login-account', bucket, await readBucket(the.redis, bucket), 0);
    return Math.ceil((Date.parse(nextAllowedAt ?? '') - Date.parse(clock.now)) / 1000);
  };
  const before = await nextAt();
  const { retryAfter } = (await logIn(email, 'wrong')).json();
  expect(retryAfter).toBeLessThanOrEqual(before);
  expect(retryAfter).toBeGreaterThanOrEqual(await nextAt());
});

test('every spelling of an account’s e-mail address shares its budget of failures', async () => {
  const email = await register();
  const [local = '', domain = ''] = email.split('@');
  const fullWidth = `${local}@${domain.replace('e', 'ｅ')}`;
  const spellings = [email.toUpperCase(), ` ${email} `, fullWidth, `${local.toUpperCase()}@${domain}`];
  for (const spelling of spellings) expect((await logIn(spelling, PASSWORD)).statusCode).toBe(201);
  for (let attempt = 0; attempt < BUDGET; attempt++) {
    expect((await logIn(spellings[attempt % spellings.length] ?? email, 'wrong')).statusCode).toBe(401);
  }
  for (const spelling of [email, ...spellings]) expect((await logIn(spelling, PASSWORD)).statusCode).toBe(429);
});

test('an e-mail address with look-alike characters matches no account', async () => {
  const email = await register();
  for (const lookAlike of [email.replace('p', 'р'), email.replace('.test', '.tеst'), email.replace('s', 'ſ')]) {
    expect((await logIn(lookAlike, PASSWORD)).statusCode).toBe(401);
  }
  expect((await logIn('load-0777@mİnitickets.example', PASSWORD)).statusCode).toBe(401);
});

test('no response discloses what is left of an account’s budget', async () => {
  const email = await register();
  for (let attempt = 0; attempt <= BUDGET; attempt++) {
    const { headers } = await logIn(email, 'wrong');
    expect(headers['ratelimit-policy']).toBe('"login";q=20;w=60');
    expect(headers['x-ratelimit-remaining']).toBe('19');
  }
});

test('an unknown account has a budget too, so that it cannot be told apart (no enumeration)', async () => {
  const statuses = [];
  for (let attempt = 0; attempt <= BUDGET; attempt++)
    statuses.push((await logIn('nobody@example.test', 'wrong')).statusCode);
  expect(statuses).toEqual([...Array(BUDGET).fill(401), 429]);
});

test('a successful log-in consumes no token', async () => {
  const email = await register();
  for (let attempt = 0; attempt < 15; attempt++) expect((await logIn(email, PASSWORD)).statusCode).toBe(201);
});

test('of many concurrent attempts, at most as many are verified as the budget holds', async () => {
  const email = await register();
  const answers = await Promise.all(Array.from({ length: BUDGET + 50 }, () => logIn(email, 'wrong')));
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
  expect(count(401)).toBe(BUDGET);
  expect(count(429)).toBe(50);
});

test('strangers’ failures do not lock out a device that has logged in before', async () => {
  const email = await register();
  const { device } = await logIn(email, PASSWORD);
  expect(device).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/v1/sessions' });
  for (let attempt = 0; attempt <= BUDGET; attempt++) await logIn(email, 'wrong');
  expect((await logIn(email, PASSWORD)).statusCode).toBe(429);
  expect((await logIn(email, PASSWORD, device?.value)).statusCode).toBe(201);
});

test('a known device has a budget of failures of its own', async () => {
  const email = await register();
  const { device } = await logIn(email, PASSWORD);
  for (let attempt = 0; attempt < BUDGET; attempt++) await logIn(email, 'wrong', device?.value);
  expect((await logIn(email, 'wrong', device?.value)).statusCode).toBe(429);
});

test('a device known to one account is unknown to another', async () => {
  const [mine, theirs] = [await register(), await register()];
  const { device } = await logIn(mine, PASSWORD);
  for (let attempt = 0; attempt < BUDGET; attempt++) await logIn(theirs, 'wrong');
  expect((await logIn(theirs, PASSWORD, device?.value)).statusCode).toBe(429);
});

test('a device is recognised by any of the device cookies that it sends', async () => {
  const email = await register();
  const { device } = await logIn(email, PASSWORD);
  for (let attempt = 0; attempt < BUDGET; attempt++) await logIn(email, 'wrong');
  const { statusCode } = await the.app.inject({
    method: 'POST',
    url: '/v1/sessions',
    headers: { ...elsewhere(), cookie: `device=stale; device=${device?.value}` },
    payload: { email, password: PASSWORD },
  });
  expect(statusCode).toBe(201);
});

test('a known device keeps its cookie', async () => {
  const email = await register();
  const { device } = await logIn(email, PASSWORD);
  expect((await logIn(email, PASSWORD, device?.value)).device).toBeUndefined();
});

const failuresOf = (email: string) => nameOfFailures({ nameOf: nameOf() }, accountOf(email));

/** Counts failures of an account as if they had come over days, so that its refilling budget plays no part. */
async function failOverDays(email: string, times: number) {
  const name = failuresOf(email);
  for (let attempt = 0; attempt < times; attempt++) expect(await countLoginFailure(the.db, name, email)).toBe(true);
}

test('after 100 consecutive failures an account refuses the right password, and no wait helps', async () => {
  const email = await register();
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES - 1);
  expect((await logIn(email, 'wrong')).statusCode).toBe(401);
  const locked = await logIn(email, PASSWORD);
  expect(locked.statusCode).toBe(403);
  expect(locked.json()).toMatchObject({ error: 'login_locked' });
  expect(locked.headers['retry-after']).toBeUndefined();
});

test('a right password resets the count of consecutive failures', async () => {
  const email = await register();
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES - 1);
  expect((await logIn(email, PASSWORD)).statusCode).toBe(201);
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES);
});

test('at most 100 of 130 concurrent failures are counted', async () => {
  const email = await register();
  const name = failuresOf(email);
  const counted = await Promise.all(Array.from({ length: 130 }, () => countLoginFailure(the.db, name, email)));
  expect(counted.filter(Boolean)).toHaveLength(MAX_CONSECUTIVE_FAILURES);
});

test('a known device still logs in to a locked account, and that unlocks it', async () => {
  const email = await register();
  const { device } = await logIn(email, PASSWORD);
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES);
  expect((await logIn(email, PASSWORD)).statusCode).toBe(403);
  expect((await logIn(email, PASSWORD, device?.value)).statusCode).toBe(201);
  expect((await logIn(email, PASSWORD)).statusCode).toBe(201);
});

test('an account that does not exist is locked like any other, and forgotten a day later', async () => {
  const email = `nobody-${++clients}@example.test`;
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES);
  expect((await logIn(email, 'wrong')).json()).toMatchObject({ error: 'login_locked' });
  expect(await deleteOldLoginFailures(the.db, 1000)).toBe(0);
  await the.db.execute(`update login_failures set last_at = now() - interval '25 hours'`);
  await deleteOldLoginFailures(the.db, 1000);
  expect((await logIn(email, 'wrong')).statusCode).toBe(401);
});

test('an admin unlocks an account, and nobody else does', async () => {
  const email = await register();
  await failOverDays(email, MAX_CONSECUTIVE_FAILURES);
  const unlock = async (role: 'customer' | 'admin', id: string) => {
    const cookies = { sid: (await person(the, { role })).sid };
    return (await the.app.inject({ method: 'DELETE', url: `/v1/admin/users/${id}/login-failures`, cookies }))
      .statusCode;
  };
  const { id = '' } = (await findUser(the.db, email)) ?? {};
  expect(await unlock('customer', id)).toBe(403);
  expect((await logIn(email, PASSWORD)).statusCode).toBe(403);
  expect(await unlock('admin', crypto.randomUUID())).toBe(404);
  expect(await unlock('admin', id)).toBe(204);
  expect((await logIn(email, PASSWORD)).statusCode).toBe(201);
});
