import { expect, test } from 'vitest';
import { costs, curlCommands, readSetUp, type SetUp, writeSetUp } from './set-up.ts';

const usual: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5, cost: 1, whenAway: 'local' };

test('an address reproduces its set-up', () => {
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

test('what is usual is not in the address', () => {
  expect(writeSetUp(usual)).toEqual({});
});

test('an address that says something impossible is read as usual', () => {
  expect(readSetUp({ tier: 'gold', as: 'admin', rate: '1e9' })).toEqual(usual);
  expect(readSetUp({ tier: ['pro'], as: 7, rate: 5, cost: 5, away: true })).toEqual(usual);
  expect(readSetUp({ cost: '4', away: 'playground' })).toEqual(usual);
});

test('the commands spend from the bucket that the page spends from', () => {
  const origin = 'http://localhost:8080';
  expect(curlCommands(usual, origin, undefined)).not.toMatch(/cookies|Authorization/);
  expect(curlCommands({ ...usual, tier: 'pro' }, origin, undefined)).toContain('requests?tier=pro');
  expect(curlCommands({ ...usual, cost: 5, whenAway: 'closed' }, origin, undefined)).toContain(
    'requests?tier=free&policy=playground-closed&cost=5',
  );
  expect(curlCommands({ ...usual, sentAs: 'account' }, origin, 'a@b.example')).toContain('"email":"a@b.example"');
  expect(curlCommands({ ...usual, sentAs: 'key' }, origin, undefined)).toContain('Bearer $KEY');
});
