import { createHash, randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { users } from '../db/schema.ts';
import { createSession, endSessionsOf, touchSession } from '../queries/sessions.ts';
import type { Account } from '../queries/users.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

const ownerOf = (id: string) => sessionOwner(made.config.appSecret, id);
const keyOf = (sid: string) => `session:${createHash('sha256').update(sid).digest('hex')}`;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, sid: string, payload?: object) =>
  made.app.inject({ method, url, cookies: { sid }, ...(payload && { payload }) });
const statusWith = async (sid: string) => (await call('GET', '/v1/sessions/current', sid)).statusCode;

async function another(user: Account) {
  const sid = randomBytes(32).toString('base64url');
  await createSession(made.redis, sid, user, ownerOf(user.id));
  return sid;
}

test.each<[string, (list: string) => Promise<unknown>]>([
  ['is whole', async () => {}],
  ['was lost', (list) => made.redis.del(list)],
  ['is junk', (list) => made.redis.set(list, 'junk')],
  ['names others', (list) => made.redis.multi().del(list).zadd(list, 1, 'nobody').exec()],
])('log-out everywhere ends every existing session when their set %s, and no later session', async (_, spoil) => {
  const { user, sid } = await person(made);
  const elsewhere = await another(user);
  await spoil(`sessions-of:${ownerOf(user.id)}`);
  expect((await call('DELETE', '/v1/sessions', sid)).statusCode).toBe(204);
  expect([await statusWith(sid), await statusWith(elsewhere)]).toEqual([401, 401]);
  expect(await statusWith(await another(user))).toBe(200);
});

test('of interleaved log-ins and log-outs everywhere, each log-out ends exactly the sessions before it', async () => {
  const { user } = await person(made);
  const owner = ownerOf(user.id);
  const sids = Array.from({ length: 20 }, () => randomBytes(32).toString('base64url'));
  // One connection, so that Redis runs them in this order, several in the same millisecond.
  const lived = sids.map(async (sid) => {
    const begun = createSession(made.redis, sid, user, owner);
    const after = touchSession(made.redis, sid);
    const lost = made.redis.del(`sessions-of:${owner}`);
    const ended = endSessionsOf(made.redis, owner);
    const later = touchSession(made.redis, sid);
    await Promise.all([begun, lost, ended]);
    return [(await after)?.id, await later];
  });
  expect(await Promise.all(lived)).toEqual(sids.map(() => [user.id, null]));
});

test('the watermark of a log-out everywhere expires when no earlier session can be alive', async () => {
  const { user, sid } = await person(made);
  await call('DELETE', '/v1/sessions', sid);
  const left = await made.redis.pttl(`sessions-over:${ownerOf(user.id)}`);
  const month = 30 * 24 * 3_600_000;
  expect(left).toBeGreaterThan(month - 60_000);
  expect(left).toBeLessThanOrEqual(month + 1000);
});

test.each<[string, (mark: string) => Promise<unknown>]>([
  ['of another type', (mark) => made.redis.rpush(mark, 'a')],
  ['in words', (mark) => made.redis.set(mark, 'tomorrow')],
  ['at no time', (mark) => made.redis.set(mark, 'nan')],
  ['that never ends', (mark) => made.redis.set(mark, 'inf')],
])('a watermark %s ends no session, and is removed', async (_, spoil) => {
  const { user, sid } = await person(made);
  const mark = `sessions-over:${ownerOf(user.id)}`;
  await spoil(mark);
  expect(await statusWith(sid)).toBe(200);
  expect(await made.redis.exists(mark)).toBe(0);
  await spoil(mark);
  expect(await statusWith(await another(user))).toBe(200);
});

test('an admin ends all sessions of one user and of no other, whatever the case of the id', async () => {
  const admin = await person(made, { role: 'admin' });
  const bystander = await person(made);
  for (const spell of [(id: string) => id, (id: string) => id.toUpperCase()]) {
    const { user, sid } = await person(made);
    const elsewhere = await another(user);
    const ended = await call('DELETE', `/v1/admin/users/${spell(user.id)}/sessions`, admin.sid);
    expect([ended.statusCode, ended.body]).toEqual([204, '']);
    expect([await statusWith(sid), await statusWith(elsewhere)]).toEqual([401, 401]);
  }
  expect([await statusWith(bystander.sid), await statusWith(admin.sid)]).toEqual([200, 200]);
});

test('only an admin ends another user’s sessions, and an invalid id is refused by name', async () => {
  const { user, sid } = await person(made);
  const other = await person(made, { role: 'organiser' });
  expect((await call('DELETE', `/v1/admin/users/${user.id}/sessions`, other.sid)).statusCode).toBe(403);
  expect(await statusWith(sid)).toBe(200);
  const admin = await person(made, { role: 'admin' });
  expect((await call('DELETE', '/v1/admin/users/everybody/sessions', admin.sid)).json()).toMatchObject({
    status: 400,
    error: 'validation_failed',
  });
});

test.each<[string, (sid: string) => ReturnType<typeof call>]>([
  ['asks who they are', (sid) => call('GET', '/v1/sessions/current', sid)],
  ['makes an API key', (sid) => call('POST', '/v1/api-keys', sid, { name: 'a key' })],
  ['makes an event', (sid) => call('POST', '/v1/events', sid, {})],
  ['changes a limit', (sid) => call('PUT', '/v1/admin/limits/login/any', sid, {})],
  ['admits a ticket', (sid) => call('POST', '/v1/check-ins', sid, { code: 'a code' })],
  [
    'books',
    async (sid) => {
      const { event, lineOf } = await shop(made);
      return call('POST', '/v1/bookings', sid, { eventId: event.id, lines: [lineOf(1)] });
    },
  ],
])('a deleted user who %s is asked to log in, and their sessions end', async (_, act) => {
  const { user, sid } = await person(made, { role: 'organiser' });
  const elsewhere = await another(user);
  await made.db.delete(users).where(eq(users.id, user.id));
  const answer = await act(sid);
  expect(answer.json()).toMatchObject({ status: 401, error: 'unauthenticated' });
  expect(answer.cookies).toEqual([expect.objectContaining({ name: 'sid', value: '' })]);
  expect(await made.redis.exists(keyOf(sid), keyOf(elsewhere))).toBe(0);
});

test('every foreign key to users has a name that identifies it, so that its violation is recognised', async () => {
  const { rows } = await made.db.execute<{ name: string }>(
    sql`select conname as name from pg_constraint where confrelid = 'users'::regclass`,
  );
  expect(rows.length).toBeGreaterThan(3);
  for (const { name } of rows) expect(name).toMatch(/_users_id_fk$/);
});
