import { paths, problems } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { useApp } from '../testing/test-app.ts';

const made = useApp();

type Described = {
  operationId: string;
  tags: string[];
  security: Record<string, never>[];
  parameters?: { name: string; in: string; required: boolean }[];
  responses: Record<string, { description: string; headers?: object; content?: Record<string, unknown> }>;
};
type Description = {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
};
const description = async () => (await made.app.inject('/openapi.json')).json() as Description;
const operationsOf = ({ paths }: Description) => Object.values(paths).flatMap((path) => Object.values(path));

test('the description has every operation of the contract, under its own name', async () => {
  const described = await description();
  expect(described.openapi).toBe('3.1.0');
  for (const [name, [method, path]] of Object.entries(paths)) {
    const operation = described.paths[path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation?.operationId, `${method} ${path}`).toBe(name);
  }
  const ids = operationsOf(described).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every operation states its success, its failures as problems, and who may call it', async () => {
  for (const { operationId, responses, tags, security } of operationsOf(await description())) {
    const statuses = Object.keys(responses);
    expect(
      statuses.some((status) => status.startsWith('2')),
      operationId,
    ).toBe(true);
    const failures = statuses.filter((status) => !status.startsWith('2'));
    expect(failures, operationId).toContain('503');
    for (const status of failures) {
      expect(responses[status]?.content).toHaveProperty('application/problem+json');
      expect(responses[status]?.description).not.toBe('');
    }
    expect(tags).toHaveLength(1);
    expect(security).toBeInstanceOf(Array);
  }
});

test('a limited operation describes the headers of its budget, on success and on failure', async () => {
  const booking = operationsOf(await description()).find(({ operationId }) => operationId === 'createBooking');
  for (const status of ['201', '409', '429'])
    expect(booking?.responses[status]).toMatchObject({ headers: { 'X-RateLimit-Remaining': {} } });
  expect(booking?.responses[429]).toMatchObject({ headers: { 'Retry-After': {} } });
});

test('every parameter of a path is described', async () => {
  for (const [path, operations] of Object.entries((await description()).paths))
    for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
      for (const { parameters = [] } of Object.values(operations))
        expect(parameters, path).toContainEqual(expect.objectContaining({ name, in: 'path', required: true }));
});

test('the description has a model for each resource, and every reference leads to a model', async () => {
  const described = await description();
  const models = Object.keys(described.components.schemas);
  expect(models).toEqual(expect.arrayContaining(['Event', 'TicketType', 'Booking', 'Ticket', 'User', 'Problem']));
  const referenced = JSON.stringify(described).matchAll(/#\/components\/schemas\/(\w+)/g);
  const names = new Set([...referenced].map(([, name = '']) => name));
  expect([...names].filter((name) => !models.includes(name))).toEqual([]);
  expect(models.filter((name) => !names.has(name))).toEqual([]);
});

test('patterns are ones that generators in other languages can read', async () => {
  const patterns = [...JSON.stringify(await description()).matchAll(/"pattern":"([^"]*)"/g)].map(([, one = '']) => one);
  expect(patterns.filter((pattern) => /\\p\{|\(\?[<!=]/.test(pattern))).toEqual([]);
});

test('the description is the same as long as the task runs, and a cache may ask whether it is', async () => {
  const { headers } = await made.app.inject('/openapi.json');
  expect(headers['cache-control']).toContain('max-age');
  const again = await made.app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(headers.etag) } });
  expect(again.statusCode).toBe(304);
});

test('the API reference declares its language, loads nothing from other hosts, and allows no inline script or style element', async () => {
  const [page, again] = [await made.app.inject('/docs'), await made.app.inject('/docs')];
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.body).toContain('<html lang="en">');
  const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) expect((await made.app.inject(address)).statusCode).toBe(200);
  const policy = String(page.headers['content-security-policy']);
  expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe-inline');
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
