import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let the: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  the = await testApp(stores, { trustedProxies: ['127.0.0.1'] });
});

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
  expect(stopped.json()).toMatchObject({ error: 'rate_limited', retryAfter: 60 });
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
