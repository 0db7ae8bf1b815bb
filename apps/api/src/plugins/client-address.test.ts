import fastify from 'fastify';
import { expect, test } from 'vitest';
import { requireProxySecret, trustProxies } from './client-address.ts';
import { openApp } from './open-app.ts';

/** Returns the client address that a task sees. */
async function addressSeen(ranges: string[], from: string, forwardedFor?: string) {
  const app = fastify({ trustProxy: trustProxies(ranges) });
  app.get('/', async (request) => request.ip);
  const { body } = await app.inject({
    url: '/',
    remoteAddress: from,
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  });
  await app.close();
  return body;
}

const BALANCER = '127.0.0.1';

test('the address that the balancer appends counts, not a spoofed X-Forwarded-For in front of it', async () => {
  expect(await addressSeen([BALANCER], BALANCER, '6.6.6.6, 10.9.8.7')).toBe('10.9.8.7');
});

test('a client inside the trusted range cannot spoof its address', async () => {
  expect(await addressSeen(['127.0.0.0/8', '10.0.0.0/8'], BALANCER, '6.6.6.6, 10.9.8.7')).toBe('10.9.8.7');
  expect(await addressSeen([BALANCER], BALANCER, '6.6.6.6, 127.0.0.1')).toBe('127.0.0.1');
});

test('X-Forwarded-For from a client that bypasses the balancer is ignored', async () => {
  expect(await addressSeen(['10.1.0.0/16'], '10.2.0.9', '6.6.6.6')).toBe('10.2.0.9');
});

test('without trusted proxies X-Forwarded-For is ignored', async () => {
  expect(await addressSeen([], BALANCER, '6.6.6.6')).toBe(BALANCER);
});

test('without X-Forwarded-For the client is the connected address', async () => {
  expect(await addressSeen([BALANCER], BALANCER)).toBe(BALANCER);
});

test.each([
  ['10.1.0.0/16', '10.1.255.1'],
  ['10.1.0.0/16', '::ffff:10.1.255.1'],
  ['fd00:1::/32', 'fd00:1:2::3'],
  ['fd00::5', 'fd00:0::5'],
])('the range %s trusts the proxy %s', async (range, proxy) => {
  expect(await addressSeen([range], proxy, '203.0.113.7')).toBe('203.0.113.7');
});

test.each([
  ['10.1.0.0/16', '10.2.0.1'],
  ['fd00:1::/32', 'fd00:2::3'],
  ['0.0.0.0/0', 'fd00::1'],
])('the range %s does not trust %s', async (range, stranger) => {
  expect(await addressSeen([range], stranger, '203.0.113.7')).toBe(stranger);
});

const SECRET = 'the secret that only the balancer has';
test.each([
  ['the secret', SECRET, { ip: '203.0.113.7', host: 'shop.example', protocol: 'https' }],
  ['another secret', `${SECRET}!`, { ip: BALANCER, host: 'localhost', protocol: 'http' }],
  ['no secret', undefined, { ip: BALANCER, host: 'localhost', protocol: 'http' }],
])(
  'with a proxy secret, the forwarding headers of a local program with %s count accordingly, in the log too',
  async (_what, secret, seen) => {
    const logged: string[] = [];
    const app = openApp({
      logLevel: 'info',
      logBase: {},
      trustProxy: trustProxies([BALANCER]),
      beforeAnything: requireProxySecret(SECRET),
      logTo: { write: (line) => void logged.push(line) },
    });
    app.get('/', async ({ ip, host, protocol, headers }) => ({ ip, host, protocol, headers }));
    const forwarded = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'shop.example',
      'x-forwarded-proto': 'https',
    };
    const proof = secret === undefined ? {} : { 'X-Forwarded-Secret': secret };
    const { body } = await app.inject({ url: '/', headers: { host: 'localhost', ...forwarded, ...proof } });
    await app.close();
    expect(JSON.parse(body)).toMatchObject(seen);
    expect(body).not.toContain(SECRET);
    expect(logged.join()).toContain(`"remoteAddress":"${seen.ip}"`);
    expect(logged.join()).not.toContain(SECRET);
  },
);
