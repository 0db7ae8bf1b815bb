import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costs, curlCommands, readSetUp, type SetUp, writeSetUp } from './set-up.ts';

const defaults: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5, cost: 1, whenAway: 'local' };

test('a URL reproduces its settings', () => {
  for (const tier of ['free', 'pro'] as const) {
    for (const sentAs of ['address', 'account', 'key'] as const) {
      for (const ratePerSecond of [1, 5, 60]) {
        for (const cost of costs) {
          for (const whenAway of ['local', 'open', 'closed'] as const) {
            const setUp = { tier, sentAs, ratePerSecond, cost, whenAway };
            expect(readSetUp(writeSetUp(setUp))).toEqual(setUp);
          }
        }
      }
    }
  }
});

test('default settings are not in the URL', () => {
  expect(writeSetUp(defaults)).toEqual({});
});

test('invalid settings in a URL become the defaults', () => {
  expect(readSetUp({ tier: 'gold', as: 'admin', rate: '1e9' })).toEqual(defaults);
  expect(readSetUp({ tier: ['pro'], as: 7, rate: 5, cost: 5, away: true })).toEqual(defaults);
  expect(readSetUp({ cost: '4', away: 'playground' })).toEqual(defaults);
});

test('the curl commands spend from the same bucket as the page', () => {
  const origin = 'http://localhost:8080';
  expect(curlCommands(defaults, origin, undefined)).not.toMatch(/cookies|Authorization/);
  expect(curlCommands({ ...defaults, tier: 'pro' }, origin, undefined)).toContain('requests?tier=pro');
  expect(curlCommands({ ...defaults, cost: 5, whenAway: 'closed' }, origin, undefined)).toContain(
    'requests?tier=free&policy=playground-closed&cost=5',
  );
  expect(curlCommands({ ...defaults, sentAs: 'account' }, origin, 'a@b.example')).toContain('"email":"a@b.example"');
  expect(curlCommands({ ...defaults, sentAs: 'key' }, origin, undefined)).toContain('Bearer $KEY');
});

/** Directory of a fake `curl` that prints its arguments, one call per line. */
let fakes: string;
beforeAll(() => {
  fakes = mkdtempSync(join(tmpdir(), 'minitickets-curl-'));
  writeFileSync(join(fakes, 'curl'), '#!/bin/sh\nline=$(printf "[%s]" "$@")\nprintf "%s\\n" "$line"\n');
  chmodSync(join(fakes, 'curl'), 0o755);
});
afterAll(() => rmSync(fakes, { recursive: true }));

/** Returns the calls of `curl` that a shell makes when it runs the commands. */
const callsOf = (commands: string) =>
  execFileSync('bash', ['--norc', '-c', commands], {
    encoding: 'utf8',
    timeout: 10_000,
    env: { PATH: `${fakes}:/usr/bin:/bin` },
  })
    .trim()
    .split('\n');

test('a shell sends ten requests that print their status, and one more', () => {
  const address = 'http://localhost:8080/v1/playground/requests?tier=free';
  const shows = '%{http_code}  %header{x-served-by}  %header{x-ratelimit-remaining} left\\n';
  expect(callsOf(curlCommands(defaults, 'http://localhost:8080', undefined))).toEqual([
    ...Array(10).fill(`[-s][-o][/dev/null][-w][${shows}][-X][POST][${address}]`),
    `[-i][-X][POST][${address}]`,
  ]);
});

test('an e-mail with an apostrophe stays one shell word', () => {
  const [logIn] = callsOf(
    curlCommands({ ...defaults, sentAs: 'account' }, 'http://localhost:8080', "o'neil@b.example"),
  );
  expect(logIn).toContain('[{"email":"o\'neil@b.example","password":"…"}]');
});
