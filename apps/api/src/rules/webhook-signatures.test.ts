import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedWebhook, signWebhook } from './webhook-signatures.ts';

const key = randomBytes(32);
const body = Buffer.from('{"id":"1"}');
const now = new Date('2026-11-01T12:00:00.900Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const signature = signWebhook(body, key, now);

test('a signed body is accepted under the new key and the old one', () => {
  expect(isSignedWebhook(signature, body, [key], now)).toBe(true);
  expect(isSignedWebhook(signature, body, [randomBytes(32), key], now)).toBe(true);
});

test('another body, key or timestamp is rejected', () => {
  expect(isSignedWebhook(signature, Buffer.from('{"id":"2"}'), [key], now)).toBe(false);
  expect(isSignedWebhook(signature, body, [randomBytes(32)], now)).toBe(false);
  const moved = signature.replace(/t=\d+/, `t=${Math.floor(now.getTime() / 1000) + 1}`);
  expect(isSignedWebhook(moved, body, [key], now)).toBe(false);
});

test('a replayed signature is rejected after five minutes, and one from the future at once', () => {
  expect(isSignedWebhook(signature, body, [key], minutes(4.9))).toBe(true);
  expect(isSignedWebhook(signature, body, [key], minutes(5.1))).toBe(false);
  expect(isSignedWebhook(signature, body, [key], minutes(-5.1))).toBe(false);
});

test.each([undefined, '', 't=,v1=', 't=1,v1=00', `v1=${'0'.repeat(64)}`, `${signature},v1=x`])(
  'a malformed signature header is rejected: %j',
  (header) => {
    expect(isSignedWebhook(header, body, [key], now)).toBe(false);
  },
);
