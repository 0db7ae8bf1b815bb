import { afterEach, expect, test, vi } from 'vitest';
import { refusePublicDemo } from './start.mjs';

afterEach(() => vi.unstubAllEnvs());

const all = { host: '0.0.0.0', seed: true, lab: true };

test.each([
  ['on the loopback', { ...all, host: 'localhost' }],
  ['on an IPv6 loopback address', { ...all, host: '::1' }],
  ['without demo accounts and lab', { ...all, seed: false, lab: false }],
])('a start %s is allowed', (_, flags) => {
  expect(() => refusePublicDemo(flags)).not.toThrow();
});

test.each([
  ['demo accounts', { ...all, lab: false }],
  ['the lab', { ...all, seed: false }],
  ['demo accounts', { ...all, host: '::' }],
  ['the lab', { ...all, host: '192.0.2.1' }],
])('a start that would expose %s to other machines is refused', (what, flags) => {
  expect(() => refusePublicDemo(flags)).toThrow(what);
});

test('ALLOW_PUBLIC_DEMO=true allows a public demo', () => {
  vi.stubEnv('ALLOW_PUBLIC_DEMO', 'true');
  expect(() => refusePublicDemo(all)).not.toThrow();
});
