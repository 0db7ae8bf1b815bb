import type { Role } from '@minitickets/contract';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { users } from '../db/schema.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

/** A user whose session started in one role, and who has another one now. */
async function personNow(was: Role, role: Role) {
  const one = await person(made, { role: was });
  await made.db.update(users).set({ role }).where(eq(users.id, one.user.id));
  return one;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Returns every operation of the OpenAPI description with a matching path. */
async function operations(fits: RegExp) {
  const { paths } = (await made.app.inject('/openapi.json')).json() as { paths: Record<string, object> };
  return Object.entries(paths)
    .filter(([path]) => fits.test(path))
    .flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({
        method: method.toUpperCase() as Method,
        url: path.replaceAll(/\{\w+\}/g, 'x'),
      })),
    );
}

const statusOf = async (method: Method, url: string, sid: string) =>
  (await made.app.inject({ method, url, cookies: { sid } })).statusCode;

test('a role revoked in PostgreSQL opens no privileged route to an existing session', async () => {
  const { sid } = await personNow('admin', 'customer');
  const privileged = [
    ...(await operations(/^\/v1\/admin\//)),
    { method: 'POST', url: '/v1/events' },
    { method: 'PATCH', url: '/v1/events/x' },
    { method: 'POST', url: '/v1/events/x/ticket-types' },
    { method: 'POST', url: '/v1/check-ins' },
    { method: 'GET', url: '/v1/events/x/door-list' },
  ] as const;
  expect(privileged.length).toBeGreaterThan(15);
  const statuses = await Promise.all(
    privileged.map(async ({ method, url }) => `${method} ${url} ${await statusOf(method, url, sid)}`),
  );
  expect(statuses).toEqual(privileged.map(({ method, url }) => `${method} ${url} 403`));
});

test('a role granted in PostgreSQL applies from the next request', async () => {
  const { sid } = await personNow('customer', 'admin');
  expect(await statusOf('GET', '/v1/admin/limits', sid)).toBe(200);
});

test('another organiser’s draft is visible to current admins, and not to former ones', async () => {
  const { event } = await shop(made, { status: 'draft' });
  const seenBy = async (was: Role, role: Role) =>
    statusOf('GET', `/v1/events/${event.slug}`, (await personNow(was, role)).sid);
  expect(await seenBy('admin', 'customer')).toBe(404);
  expect(await seenBy('customer', 'admin')).toBe(200);
});

test('a former admin cannot change another organiser’s event', async () => {
  const { event } = await shop(made);
  const { sid } = await personNow('admin', 'organiser');
  const change = {
    method: 'PATCH',
    url: `/v1/events/${event.id}`,
    cookies: { sid },
    payload: { name: 'Mine' },
  } as const;
  expect((await made.app.inject(change)).statusCode).toBe(404);
});
