import fastify from 'fastify';
import { expect, test } from 'vitest';
import { trustProxies } from './client-address.ts';

/** The address that a task takes its caller for. */
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

test('the balancer’s own word counts, and not what the client wrote before it', async () => {
  expect(await addressSeen([BALANCER], BALANCER, '6.6.6.6, 10.9.8.7')).toBe('10.9.8.7');
});

test('a client in the balancer’s own address range forges nothing', async () => {
  expect(await addressSeen(['127.0.0.0/8', '10.0.0.0/8'], BALANCER, '6.6.6.6, 10.9.8.7')).toBe('10.9.8.7');
  expect(await addressSeen([BALANCER], BALANCER, '6.6.6.6, 127.0.0.1')).toBe('127.0.0.1');
});

test('who comes past the balancer is believed nothing', async () => {
  expect(await addressSeen(['10.1.0.0/16'], '10.2.0.9', '6.6.6.6')).toBe('10.2.0.9');
});

test('with no proxy listed, nobody is believed', async () => {
  expect(await addressSeen([], BALANCER, '6.6.6.6')).toBe(BALANCER);
});

test('without the header the caller is who is connected', async () => {
  expect(await addressSeen([BALANCER], BALANCER)).toBe(BALANCER);
});

test.each([
  ['10.1.0.0/16', '10.1.255.1'],
  ['10.1.0.0/16', '::ffff:10.1.255.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['fd00:1::/32', 'fd00:1:2::3'],
  ['fd00::5', 'fd00:0::5'],
])('a proxy is known by its range: %s holds %s', async (range, proxy) => {
  expect(await addressSeen([range], proxy, '203.0.113.7')).toBe('203.0.113.7');
});

test.each([
  ['10.1.0.0/16', '10.2.0.1'],
  ['fd00:1::/32', 'fd00:2::3'],
  ['::/0', '10.1.0.1'],
])('and by nothing else: %s does not hold %s', async (range, stranger) => {
  expect(await addressSeen([range], stranger, '203.0.113.7')).toBe(stranger);
});
