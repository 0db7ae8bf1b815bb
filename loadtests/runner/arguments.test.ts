import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArguments, UsageError } from './arguments.ts';
import { scripts } from './scripts.ts';

const folder = new URL('..', import.meta.url);

test('every script is a file, and every file a script', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(files.toSorted()).toEqual(
    Object.keys(scripts)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
});

test('the README says what every script claims', () => {
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  expect(Object.keys(scripts).filter((name) => !readme.includes(`### ${name}\n`))).toEqual([]);
});

test('without a word about it, only stacks of this machine are aimed at', () => {
  expect(readArguments(['browse'])).toMatchObject({ scripts: ['browse'], foreignUrl: undefined, stack: undefined });
});

test.each([
  [['-e', 'BASE_URL=https://shop.example.com']],
  [['-e=BASE_URL=https://shop.example.com']],
  [['--env', 'BASE_URL=http://10.0.0.7']],
  [['--env=TARGET_I_OWN=http://10.0.0.7']],
  [['--vus', '5', '-e', 'BASE_URL=http://10.0.0.7']],
])('%j does not aim elsewhere behind our back', (options) => {
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
])('%j is refused with a word about what would do', (args) => {
  expect(() => readArguments(args)).toThrow(UsageError);
});

test('an owner names the whole address, and nothing behind it is kept', () => {
  const { foreignUrl } = readArguments(['browse', '--target-i-own', 'https://staging.example.com/events?x=1']);
  expect(foreignUrl).toBe('https://staging.example.com');
});

test('--short alone runs all of them', () => {
  expect(readArguments(['--short'])).toMatchObject({ scripts: Object.keys(scripts), short: true });
});

test('what is not ours goes to k6 as it is', () => {
  const order = readArguments(['on-sale', '--short', '-e', 'PLACES=50', '--http-debug=full', '--short']);
  expect(order).toMatchObject({ short: true, k6: ['-e', 'PLACES=50', '--http-debug=full', '--short'] });
});
