import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArguments, UsageError } from './arguments.ts';
import { scripts } from './scripts.ts';

const folder = new URL('..', import.meta.url);

test('every script has a file, and every file is a script', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(files.toSorted()).toEqual(
    Object.keys(scripts)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
});

test('the README describes every script', () => {
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  expect(Object.keys(scripts).filter((name) => !readme.includes(`### ${name}\n`))).toEqual([]);
});

test('by default only stacks on this machine are targets', () => {
  expect(readArguments(['browse'])).toMatchObject({ scripts: ['browse'], foreignUrl: undefined, stack: undefined });
});

test.each([
  [['-e', 'BASE_URL=https://shop.example.com']],
  [['-e=BASE_URL=https://shop.example.com']],
  [['--env', 'BASE_URL=http://10.0.0.7']],
  [['--env=TARGET_I_OWN=http://10.0.0.7']],
  [['--vus', '5', '-e', 'BASE_URL=http://10.0.0.7']],
])('%j cannot choose another machine without --target-i-own', (options) => {
  expect(() => readArguments(['browse', ...options])).toThrow('--target-i-own');
});

test.each([
  [['browse', '--target-i-own']],
  [['browse', '--target-i-own', 'shop.example.com']],
  [['browse', '--target-i-own', 'ftp://shop.example.com']],
  [['browse', '--target-i-own', 'https://shop.example.com', '--stack', 'npm']],
  [['browse', '--stack', 'production']],
  [['no-such-script']],
  [[]],
])('%j is rejected with a hint', (args) => {
  expect(() => readArguments(args)).toThrow(UsageError);
});

test('--target-i-own takes a full URL and uses its origin', () => {
  const { foreignUrl } = readArguments(['browse', '--target-i-own', 'https://staging.example.com/events?x=1']);
  expect(foreignUrl).toBe('https://staging.example.com');
});

test('--short alone runs every script', () => {
  expect(readArguments(['--short'])).toMatchObject({ scripts: Object.keys(scripts), short: true });
});

test('unknown options are passed to k6 unchanged', () => {
  const order = readArguments(['on-sale', '--short', '-e', 'PLACES=50', '--http-debug=full', '--short']);
  expect(order).toMatchObject({ short: true, k6: ['-e', 'PLACES=50', '--http-debug=full', '--short'] });
});
