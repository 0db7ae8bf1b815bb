import { useStores } from '@minitickets/stack/test-stores';
import { beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../testing/test-app.ts';

const stores = useStores();
const PUBLIC = 'https://shop.example';
const PROXY = '127.0.0.2';
let app: TestApp['app'];
let local: typeof app;
beforeAll(async () => {
  ({ app } = await testApp(stores, { publicUrl: PUBLIC, trustedProxies: [PROXY] }));
  ({ app: local } = await testApp(stores));
});

test.each(['evil.example', 'localhost.evil.example', 'task-1'])(
  'a foreign host is answered with 421 on every route: %s',
  async (host) => {
    for (const url of ['/v1/events', '/v1/sessions/current', '/openapi.json', '/metrics', '/nothing']) {
      const answer = await app.inject({ url, headers: { host } });
      expect([answer.statusCode, answer.json()]).toMatchObject([421, { error: 'misdirected_request', status: 421 }]);
    }
    const logIn = { method: 'POST', url: '/v1/sessions', headers: { host }, payload: {} } as const;
    expect((await app.inject(logIn)).statusCode).toBe(421);
  },
);

test('X-Forwarded-Host counts from a trusted proxy only', async () => {
  const headers = { host: 'localhost', 'x-forwarded-host': 'evil.example' };
  expect((await app.inject({ url: '/v1/events', headers, remoteAddress: PROXY })).statusCode).toBe(421);
  expect((await app.inject({ url: '/v1/events', headers, remoteAddress: '127.0.0.1' })).statusCode).toBe(200);
});

test('localhost, IP addresses and the public host are served, and probes under any host', async () => {
  for (const host of ['localhost:8080', '127.0.0.1:3000', '[::1]:8080', 'shop.example'])
    expect((await app.inject({ url: '/v1/events', headers: { host } })).statusCode).toBe(200);
  expect((await app.inject({ url: '/health/live', headers: { host: 'task-1:3000' } })).statusCode).toBe(200);
});

const register = (to: typeof app, headers: Record<string, string>) => {
  const email = `${crypto.randomUUID()}@minitickets.example`;
  const payload = { email, password: 'a long password of ours', name: 'A Visitor' };
  return to.inject({ method: 'POST', url: '/v1/users', headers, payload, remoteAddress: PROXY });
};

test('behind TLS, an https public URL makes cookies Secure and sends HSTS', async () => {
  // The proxy that terminates TLS speaks HTTP to us.
  const headers = { host: 'shop.example', origin: PUBLIC, 'x-forwarded-proto': 'http' };
  const answer = await register(app, headers);
  expect(answer.statusCode).toBe(201);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  expect(answer.cookies.find(({ name }) => name === 'sid')).toMatchObject({ secure: true, httpOnly: true });
});

test('over http to localhost cookies are not Secure, and no HSTS is sent', async () => {
  for (const to of [app, local]) {
    const answer = await register(to, { host: 'localhost:8080', origin: 'http://localhost:8080' });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
    expect(answer.cookies.find(({ name }) => name === 'sid')).not.toHaveProperty('secure');
  }
});

test.each([
  ['another scheme', 'shop.example', 'http://shop.example'],
  ['another scheme on localhost', 'localhost:8080', 'https://localhost:8080'],
  ['another port', 'localhost:8080', 'http://localhost:8081'],
  ['another host', 'shop.example', 'https://evil.example'],
  ['null', 'shop.example', 'null'],
])('a write from %s is cross-origin', async (_what, host, origin) => {
  const answer = await register(app, { host, origin });
  expect([answer.statusCode, answer.json().error]).toEqual([403, 'cross_origin']);
});
