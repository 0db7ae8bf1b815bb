import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { touchSession } from '../queries/sessions.ts';
import { person } from '../testing/people.ts';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let made: Awaited<ReturnType<typeof testApp>>;
let admin: Awaited<ReturnType<typeof person>>;
beforeAll(async () => {
  made = await testApp(stores);
  admin = await person(made, { role: 'admin' });
});

const find = (query: string, sid = admin.sid) => made.app.inject({ url: `/v1/admin/users${query}`, cookies: { sid } });
const byEmail = (email: string) => find(`?email=${encodeURIComponent(email)}`);

test('an account is found by every spelling of its e-mail address, and shown without its hash', async () => {
  const { user } = await person(made, { tier: 'pro' });
  const answer = await byEmail(` ${user.email.toUpperCase()} `);
  expect(answer.json()).toEqual({ items: [user], nextCursor: null });
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
