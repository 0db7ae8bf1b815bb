import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { refusePublicDemo } from './start.mjs';

const program = `
  const { endOnSignals } = await import(${JSON.stringify(new URL('./start.mjs', import.meta.url).href)});
  const ending = endOnSignals();
  ending.onClaim({ kill: async () => process.exit(7) });
  void ending.stopRequested.then(() => console.log('asked to stop'));
  setInterval(() => {}, 1000);
  console.log('ready');`;

test('Ctrl-C that npm passes on counts once, and a second one kills everything', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const hasSaid = (text: string) => vi.waitFor(() => expect(said).toContain(text), 30_000);
  await hasSaid('ready');
  child.kill('SIGINT');
  child.kill('SIGINT');
  await hasSaid('asked to stop');
  // A person is slower than npm.
  await delay(500);
  expect(child.exitCode).toBeNull();
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

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
