import { problems } from '@minitickets/contract';
import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { testApp } from '../testing/test-app.ts';

const stores = useStores();
let made: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  made = await testApp(stores);
});

type Operation = { tags: string[]; responses: Record<string, { content?: Record<string, unknown> }> };
const description = async () =>
  (await made.app.inject('/openapi.json')).json() as {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
  };

test.each([
  ['post', '/v1/users'],
  ['post', '/v1/sessions'],
  ['get', '/v1/sessions/current'],
  ['delete', '/v1/sessions/current'],
  ['delete', '/v1/sessions'],
  ['get', '/v1/events'],
  ['get', '/v1/events/{event}'],
  ['post', '/v1/events'],
  ['patch', '/v1/events/{event}'],
  ['post', '/v1/events/{event}/ticket-types'],
  ['post', '/v1/bookings'],
  ['get', '/v1/bookings'],
  ['get', '/v1/bookings/{id}'],
  ['delete', '/v1/bookings/{id}'],
  ['post', '/v1/bookings/{id}/payment'],
  ['get', '/v1/tickets/{id}'],
  ['post', '/v1/check-ins'],
  ['get', '/v1/admin/users'],
  ['delete', '/v1/admin/users/{id}/sessions'],
  ['get', '/v1/admin/tasks'],
  ['get', '/v1/admin/events'],
  ['post', '/v1/admin/audits'],
  ['get', '/v1/admin/limits/activity/series'],
  ['get', '/v1/playground/bucket'],
])('the OpenAPI description includes %s %s', async (method, path) => {
  expect(Object.keys((await description()).paths[path] ?? {})).toContain(method);
});

test('the description is valid OpenAPI 3.1, and every operation documents its errors', async () => {
  const { openapi, paths } = await description();
  expect(openapi).toBe('3.1.0');
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.length).toBeGreaterThan(15);
  for (const { responses, tags } of operations) {
    expect(responses.default?.content).toHaveProperty('application/problem+json');
    expect(tags).toHaveLength(1);
  }
});

test('the API reference declares its language, loads nothing from other hosts, and allows no inline script or style', async () => {
  const [page, again] = [await made.app.inject('/docs'), await made.app.inject('/docs')];
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.body).toContain('<html lang="en">');
  const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) expect((await made.app.inject(address)).statusCode).toBe(200);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).not.toContain('unsafe-inline');
  expect(policy).toMatch(/script-src 'self';/);
  const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
  expect(page.body).toContain(`nonce="${nonce}"`);
  expect(again.body).not.toContain(nonce);
});

test('the description is the same at both of its URLs', async () => {
  const [one, other] = [await made.app.inject('/openapi.json'), await made.app.inject('/docs/openapi.json')];
  expect([one.statusCode, other.statusCode]).toEqual([200, 200]);
  expect(other.json()).toEqual(one.json());
});

test('the reference’s URL with a trailing slash redirects to the reference', async () => {
  const { statusCode, headers } = await made.app.inject('/docs/');
  expect([statusCode, headers.location]).toEqual([308, '/docs']);
});

test('the type of every problem links to its explanation', async () => {
  for (const code of Object.keys(problems))
    expect((await made.app.inject(`/problems/${code}`)).json()).toMatchObject({ error: code });
  expect((await made.app.inject('/problems/nothing')).json()).toMatchObject({ status: 404, error: 'not_found' });
});

test.each([
  '/',
  '/v1',
  '/v1/nothing',
  '/v1/bookings/../../etc/passwd',
  '/%00',
  '/v1/events/%ff',
  `/${'x'.repeat(2000)}`,
])('an unknown URL is answered with a problem, not a server error: %s', async (url) => {
  const response = await made.app.inject(url);
  expect(response.statusCode).toBeGreaterThanOrEqual(400);
  expect(response.statusCode).toBeLessThan(500);
  expect(response.headers['content-type']).toContain('application/problem+json');
});
