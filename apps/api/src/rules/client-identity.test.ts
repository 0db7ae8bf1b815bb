import { expect, test } from 'vitest';
import { accountOf, bucketNames, clientOf, identityNamed, networkOf } from './client-identity.ts';

test.each([
  ['IPv4 is one client', '203.0.113.7', 'ip:203.0.113.7'],
  ['IPv4-mapped IPv6 is the IPv4 client', '::ffff:203.0.113.7', 'ip:203.0.113.7'],
  ['IPv4-mapped IPv6 in upper case and hexadecimal is the same client', '::FFFF:CB00:7107', 'ip:203.0.113.7'],
  ['uncompressed IPv4-mapped IPv6 is the same client', '0:0:0:0:0:ffff:cb00:7107', 'ip:203.0.113.7'],
  ['NAT64 is the IPv4 client behind the translator', '64:ff9b::203.0.113.7', 'ip:203.0.113.7'],
  ['a local-use NAT64 prefix identifies each address separately', '64:ff9b:1::cb00:7107', 'ip:64:ff9b:1::cb00:7107'],
  ['other IPv6 is one client by its /64', '2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
  ['the zone of a link-local address is ignored', 'fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
  ['all invalid addresses are one client', 'unknown', 'ip:unknown'],
  ['an empty address is that client too', '', 'ip:unknown'],
])('%s: %s', (_, address, client) => {
  expect(clientOf(address)).toBe(client);
});

test('a thousand addresses of one /64 are one client, and two /64 networks are two', () => {
  const addresses = Array.from({ length: 1000 }, (_, index) => `2001:db8:0:1:${index.toString(16)}::1`);
  expect(new Set(addresses.map(clientOf)).size).toBe(1);
  expect(clientOf('2001:db8:0:2::1')).not.toBe(clientOf('2001:db8:0:1::1'));
});

test.each([
  ['IPv4 is in its /24', '203.0.113.7', 'net:203.0.113.0/24'],
  ['IPv4-mapped IPv6 is in the /24 of the IPv4 address', '::ffff:203.0.113.7', 'net:203.0.113.0/24'],
  ['NAT64 is in the /24 of the IPv4 client', '64:ff9b::203.0.113.7', 'net:203.0.113.0/24'],
  ['IPv6 is in its /48', '2001:db8:1:2:3:4:5:6', 'net:2001:db8:1::/48'],
  ['an address of a local-use NAT64 prefix is its own network', '64:ff9b:1::cb00:7107', 'net:64:ff9b:1::cb00:7107'],
  ['all invalid addresses are in one network', 'unknown', 'net:unknown'],
])('%s: %s', (_, address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('an operator who names an address finds the bucket of its network, where a policy counts by network', () => {
  expect(identityNamed('ip:203.0.113.7', 'network')).toBe(networkOf('203.0.113.7'));
  expect(identityNamed('ip:2001:DB8:1:2::/64', 'network')).toBe(networkOf('2001:db8:1:2::9'));
  expect(identityNamed('ip:203.0.113.7', 'ip')).toBe(clientOf('203.0.113.7'));
});

test('two clients behind one NAT64 translator are two', () => {
  expect(clientOf('64:ff9b::192.0.2.1')).not.toBe(clientOf('64:ff9b::192.0.2.2'));
});

test('an account is one identity in every spelling of its e-mail address', () => {
  for (const spelling of [' Test@Example.org ', 'TEST@EXAMPLE.ORG', 'test@ｅxample.org']) {
    expect(accountOf(spelling)).toBe(accountOf('test@example.org'));
  }
  expect(accountOf('test@examplİ.org')).not.toBe(accountOf('test@example.org'));
});

test('a bucket’s name reveals no identity, and is the same in every task with the same key', () => {
  const key = Buffer.alloc(32, 1);
  const name = bucketNames(key)('login', 'ip:203.0.113.7');
  expect(name).toMatch(/^[\w-]{22}$/);
  expect(bucketNames(key)('login', 'ip:203.0.113.7')).toBe(name);
  expect(bucketNames(Buffer.alloc(32, 2))('login', 'ip:203.0.113.7')).not.toBe(name);
});

test('an identity has a separate bucket under each policy', () => {
  const nameOf = bucketNames(Buffer.alloc(32, 1));
  expect(nameOf('login', 'ip:203.0.113.7')).not.toBe(nameOf('booking', 'ip:203.0.113.7'));
  // No crafted identity can borrow another policy's bucket.
  expect(nameOf('login', 'a b')).not.toBe(nameOf('login a', 'b'));
});

test('bucket names stay the same after they are evicted from the cache', () => {
  const nameOf = bucketNames(Buffer.alloc(32, 1));
  const first = nameOf('login', 'ip:192.0.2.1');
  for (let count = 0; count < 25_000; count++) nameOf('login', `ip:${count}`);
  expect(nameOf('login', 'ip:192.0.2.1')).toBe(first);
});
