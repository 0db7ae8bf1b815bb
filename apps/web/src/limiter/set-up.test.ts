import { expect, test } from 'vitest';
import { curlCommands, readSetUp, type SetUp, writeSetUp } from './set-up.ts';

const usual: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5 };

test('an address reproduces its set-up', () => {
  for (const tier of ['free', 'pro'] as const) {
    for (const sentAs of ['address', 'account', 'key'] as const) {
      for (const ratePerSecond of [1, 5, 60]) {
        const setUp = { tier, sentAs, ratePerSecond };
        expect(readSetUp(writeSetUp(setUp))).toEqual(setUp);
      }
    }
  }
});

test('what is usual is not in the address', () => {
  expect(writeSetUp(usual)).toEqual({});
});

test('an address that says something impossible is read as usual', () => {
  expect(readSetUp({ tier: 'gold', as: 'admin', rate: '1e9' })).toEqual(usual);
  expect(readSetUp({ tier: ['pro'], as: 7, rate: 5 })).toEqual(usual);
});

test('the commands spend from the bucket that the page spends from', () => {
  const origin = 'http://localhost:8080';
  expect(curlCommands(usual, origin, undefined)).not.toMatch(/cookies|Authorization/);
  expect(curlCommands({ ...usual, tier: 'pro' }, origin, undefined)).toContain('requests?tier=pro');
  expect(curlCommands({ ...usual, sentAs: 'account' }, origin, 'a@b.example')).toContain('"email":"a@b.example"');
  expect(curlCommands({ ...usual, sentAs: 'key' }, origin, undefined)).toContain('Bearer $KEY');
});
