import fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Api } from '../deps.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';
import { mapErrors } from './error-mapping.ts';
import { limit, limitRequests } from './rate-limits.ts';

const the = useApp(undefined, { trustedProxies: ['127.0.0.1'] });

let clients = 0;
/** A new client behind the balancer. */
const newClient = () => {
  clients++;
  return `198.18.${clients >> 8}.${clients & 255}`;
};
const logIn = (client: string, payload: object = { email: 'nobody@example.test', password: 'not it at all' }) =>
  the.app.inject({ method: 'POST', url: '/v1/sessions', headers: { 'x-forwarded-for': client }, payload });

test('a response carries its budget, in the X- headers and in those of the draft', async () => {
  const { headers, statusCode } = await logIn(newClient());
  expect(statusCode).toBe(401);
  expect(headers).toMatchObject({
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '19',
    'x-ratelimit-reset': '3',
    'ratelimit-policy': '"login";q=20;w=60',
    ratelimit: '"login";r=19;t=3',
  });
  expect(headers['retry-after']).toBeUndefined();
});

test('an invalid request consumes a token and carries its budget', async () => {
  const { headers, statusCode } = await logIn(newClient(), { email: 7 });
  expect(statusCode).toBe(400);
  expect(headers['x-ratelimit-remaining']).toBe('19');
});

test('a request that ends in a conflict consumes a token and carries its budget', async () => {
  const payload = { email: 'twice@example.test', password: 'long enough to be one', name: 'Twice' };
  const register = () => the.app.inject({ method: 'POST', url: '/v1/users', payload });
  expect((await register()).statusCode).toBe(201);
  const second = await register();
  expect(second.statusCode).toBe(409);
  expect(second.headers['ratelimit-policy']).toBe('"registration";q=20;w=1200, "registration-network";q=200;w=1200');
});

test('a refusal is 429 with an exact wait in whole seconds, and no header names an earlier moment', async () => {
  const client = newClient();
  for (let call = 0; call < 20; call++) await logIn(client, {});
  const refused = await logIn(client, {});
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toMatchObject({ error: 'rate_limited', status: 429 });
  expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(3);
  expect(refused.json().retryAfter).toBe(wait);
  expect(refused.headers.ratelimit).toBe(`"login";r=0;t=${wait}`);
});

test('a ban is 429 with its own code, and reports nothing left to spend', async () => {
  const client = newClient();
  const play = () => the.app.inject({ method: 'POST', url: '/v1/playground/requests', remoteAddress: client });
  let banned = await play();
  for (let call = 0; call < 100 && banned.json().error !== 'suppressed'; call++) banned = await play();
  expect(banned.statusCode).toBe(429);
  expect(banned.json()).toMatchObject({ error: 'suppressed', retryAfter: 3 });
  expect(banned.headers).toMatchObject({ 'retry-after': '3', ratelimit: '"playground";r=0;t=3' });
});

test('an unlimited route says nothing of limits', async () => {
  const { headers } = await the.app.inject({ method: 'POST', url: '/v1/payments/webhook', payload: {} });
  expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
});

test('cross-origin pages may read the limit headers', async () => {
  const { headers } = await logIn(newClient());
  const exposed = String(headers['access-control-expose-headers']).split(', ');
  for (const name of ['x-ratelimit-remaining', 'ratelimit', 'ratelimit-policy', 'retry-after'])
    expect(exposed).toContain(name);
});

test('two clients behind the balancer have two buckets, whatever X-Forwarded-For they send', async () => {
  const [one, other] = [newClient(), newClient()];
  for (let call = 0; call < 20; call++) await logIn(`203.0.113.${call}, ${one}`, {});
  expect((await logIn(`198.51.100.1, ${one}`, {})).statusCode).toBe(429);
  expect((await logIn(other, {})).statusCode).toBe(400);
});

test('a client that bypasses the balancer cannot choose a bucket', async () => {
  const call = (address: string) =>
    the.app.inject({
      method: 'POST',
      url: '/v1/sessions',
      remoteAddress: '192.0.2.77',
      headers: { 'x-forwarded-for': address },
      payload: {},
    });
  for (let index = 0; index < 20; index++) await call(`203.0.113.${index}`);
  expect((await call('203.0.113.99')).statusCode).toBe(429);
});

test('another spelling of an address is the same client', async () => {
  const client = newClient();
  for (let call = 0; call < 20; call++) await logIn(call % 2 === 0 ? client : `::ffff:${client}`, {});
  expect((await logIn(client, {})).statusCode).toBe(429);
});

test('an unknown API key is no identity: a new one with each request gains nothing', async () => {
  const client = newClient();
  const call = (index: number) =>
    the.app.inject({
      url: '/v1/events',
      headers: { 'x-forwarded-for': client, authorization: `Bearer mt_${String(index).padStart(43, 'x')}` },
    });
  for (let index = 0; index < 20; index++) expect((await call(index)).statusCode).toBe(401);
  expect((await call(20)).statusCode).toBe(429);
  expect((await call(21)).headers['ratelimit-policy']).toBe('"bad-api-key";q=20;w=60');
});

test('several policies form one decision: the response lists both, and a refusal by one charges neither', async () => {
  const app = await smallApp();
  const both = async () => {
    const { headers, statusCode } = await app.inject({ url: '/both' });
    return { statusCode, limits: headers.ratelimit, policies: headers['ratelimit-policy'] };
  };
  expect(await both()).toEqual({
    statusCode: 200,
    limits: '"login";r=19;t=3, "bad-api-key";r=19;t=3',
    policies: '"login";q=20;w=60, "bad-api-key";q=20;w=60',
  });
  for (let call = 0; call < 19; call++) await app.inject({ url: '/one' });
  const { statusCode, limits } = await both();
  expect(statusCode).toBe(429);
  expect(limits).toMatch(/^"login";r=0;t=[123], "bad-api-key";r=(19|20);t=[0123]$/);
  await app.close();
});

test('a HEAD request costs what a GET costs', async () => {
  const app = await smallApp();
  await app.inject({ url: '/one', method: 'HEAD' });
  const { headers } = await app.inject({ url: '/one' });
  expect(headers['x-ratelimit-remaining']).toBe('18');
  await app.close();
});

test('a user’s bucket follows the user, not the address', async () => {
  const { sid } = await person(the);
  const book = (client: string) =>
    the.app.inject({
      method: 'POST',
      url: '/v1/bookings',
      headers: { 'x-forwarded-for': client },
      cookies: { sid },
      payload: {},
    });
  await book(newClient());
  expect((await book(newClient())).headers['x-ratelimit-remaining']).toBe('8');
});

/** The limiter with one route of one policy and one of two. Its client has fresh buckets. */
async function smallApp() {
  const client = newClient();
  const app = fastify() as unknown as Api;
  app.decorateRequest('viewer', null);
  app.addHook('onRequest', async (request) => {
    Object.defineProperty(request, 'ip', { value: client });
  });
  limitRequests(app, the, new Registry());
  mapErrors(app);
  app.get('/one', { onRequest: limit('login') }, async () => 'served');
  app.get('/both', { onRequest: limit('login', 'bad-api-key') }, async () => 'served');
  await app.ready();
  return app;
}
