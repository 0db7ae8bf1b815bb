import { expect, test } from 'vitest';
import { signDevice, TRUSTED_SECONDS, trustedDevice } from './trusted-device.ts';

const key = Buffer.alloc(32, 1);
const account = 'account:someone@example.org';
const now = Date.UTC(2026, 10, 29);
const cookie = signDevice(key, account, now);

test('a device that has logged in is recognised by its id', () => {
  const id = trustedDevice([key], account, cookie, now);
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(trustedDevice([key], account, signDevice(key, account, now), now)).not.toBe(id);
});

test('a device is trusted for the account it logged in to, and for no other', () => {
  expect(trustedDevice([key], 'account:another@example.org', cookie, now)).toBeNull();
});

test('trust expires', () => {
  expect(trustedDevice([key], account, cookie, now + TRUSTED_SECONDS * 1000 - 1)).not.toBeNull();
  expect(trustedDevice([key], account, cookie, now + TRUSTED_SECONDS * 1000)).toBeNull();
});

test('a cookie signed with an earlier secret stays valid while that secret is configured', () => {
  const next = Buffer.alloc(32, 2);
  expect(trustedDevice([next, key], account, cookie, now)).not.toBeNull();
  expect(trustedDevice([next], account, cookie, now)).toBeNull();
});

const [id, issued, signature] = cookie.split('.') as [string, string, string];
test.each([
  ['an empty one', ''],
  ['another id', `${'A'.repeat(22)}.${issued}.${signature}`],
  ['a later date', `${id}.${(now + 1).toString(36)}.${signature}`],
  ['another signature', `${id}.${issued}.${'A'.repeat(43)}`],
  ['no signature', `${id}.${issued}.`],
  ['something behind it', `${cookie}A`],
  ['a very long one', 'A'.repeat(100_000)],
])('a cookie is not trusted with %s', (_, forged) => {
  expect(trustedDevice([key], account, forged, now)).toBeNull();
});
