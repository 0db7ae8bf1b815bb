import { expect, test } from 'vitest';
import { isAllowedHost, isLoopback } from './hosts.ts';

test.each([
  'localhost',
  'localhost:8080',
  'LocalHost.',
  'shop.localhost:8080',
  '127.0.0.1',
  '192.168.1.5:8080',
  '[::1]:8080',
  '[fe80::1]',
])('loopback names and IP addresses are allowed, because they cannot be rebound: %s', (host) => {
  expect(isAllowedHost(host)).toBe(true);
});

test.each([
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  'evillocalhost',
  '127.0.0.1.evil.example',
  'api',
  'evil@localhost',
  'localhost/evil.example',
  '[evil.example]',
  '',
])('any other host is refused: %j', (host) => {
  expect(isAllowedHost(host)).toBe(false);
});

test('the host of the public URL is allowed on any port, but not its subdomains', () => {
  const publicUrl = 'https://shop.example';
  expect(isAllowedHost('Shop.example', publicUrl)).toBe(true);
  expect(isAllowedHost('shop.example:443', publicUrl)).toBe(true);
  expect(isAllowedHost('evil.shop.example', publicUrl)).toBe(false);
  expect(isAllowedHost('shop.example.evil.example', publicUrl)).toBe(false);
  expect(isAllowedHost('shop.example:8080', 'http://shop.example:8080')).toBe(true);
});

test.each(['localhost', 'localhost:8080', 'shop.localhost', '127.0.0.1', '127.9.8.7:80', '::1', '[::1]', '[::1]:8080'])(
  '%s is reachable from this machine only',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each(['0.0.0.0', '::', '[::]', '10.0.0.1', 'shop.example', 'localhost.example', '128.0.0.1', ''])(
  '%s may be reachable from other machines',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
