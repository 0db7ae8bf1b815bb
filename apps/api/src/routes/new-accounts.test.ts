import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { users } from '../db/schema.ts';
import { NEW_ACCOUNT_MS } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

const MINUTE_MS = 60_000;
const aged = (ageMs: number) => person(made, { createdAt: new Date(Date.now() - ageMs) });
/** Returns the policies that a booking by this caller spends from. The empty body is refused after the limits. */
async function policiesOf(headers: Record<string, string>) {
  const answer = await made.app.inject({ method: 'POST', url: '/v1/bookings', headers, payload: {} });
  return [...String(answer.headers['ratelimit-policy']).matchAll(/"([\w-]+)"/g)].map(([, name]) => name);
}
const bySession = (sid: string) => policiesOf({ cookie: `sid=${sid}` });

async function keyOf(sid: string) {
  const created = await made.app.inject({
    method: 'POST',
    url: '/v1/api-keys',
    cookies: { sid },
    payload: { name: 'a program' },
  });
  return created.json().key as string;
}

test('an account is new for a day: its bookings, by session or API key, stand on the budget of its address', async () => {
  const [young, old] = [await aged(NEW_ACCOUNT_MS - MINUTE_MS), await aged(NEW_ACCOUNT_MS + MINUTE_MS)];
  expect(await bySession(young.sid)).toEqual(['booking', 'new-account-bookings']);
  expect(await bySession(old.sid)).toEqual(['booking']);
  const bearer = async (sid: string) => policiesOf({ authorization: `Bearer ${await keyOf(sid)}` });
  expect(await bearer(young.sid)).toEqual(['api-key', 'booking', 'new-account-bookings']);
  expect(await bearer(old.sid)).toEqual(['api-key', 'booking']);
});

test('a session that began when its account was new outgrows it with the account', async () => {
  const { sid } = await aged(MINUTE_MS);
  expect(await bySession(sid)).toContain('new-account-bookings');
  const key = `session:${createHash('sha256').update(sid).digest('hex')}`;
  // A day passes.
  await made.redis.hincrby(key, 'bornAt', -NEW_ACCOUNT_MS);
  expect(await bySession(sid)).toEqual(['booking']);
});

test('a session that does not say when its account was made, as older versions began them, is not new', async () => {
  const { sid } = await aged(MINUTE_MS);
  await made.redis.hdel(`session:${createHash('sha256').update(sid).digest('hex')}`, 'bornAt');
  expect(await bySession(sid)).toEqual(['booking']);
});

test('a new registration, and each later log-in of it, is a new account', async () => {
  const account = { email: 'today@example.test', password: 'a password of today', name: 'Today' };
  const sidOf = async (url: string, payload: object) => {
    const answer = await made.app.inject({ method: 'POST', url, payload });
    return answer.cookies.find(({ name }) => name === 'sid')?.value ?? '';
  };
  expect(await bySession(await sidOf('/v1/users', account))).toContain('new-account-bookings');
  const { email, password } = account;
  expect(await bySession(await sidOf('/v1/sessions', { email, password }))).toContain('new-account-bookings');
  await made.db
    .update(users)
    .set({ createdAt: new Date(Date.now() - 2 * NEW_ACCOUNT_MS) })
    .where(eq(users.email, email));
  expect(await bySession(await sidOf('/v1/sessions', { email, password }))).toEqual(['booking']);
});
