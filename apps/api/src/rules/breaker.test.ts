import { expect, test } from 'vitest';
import { breaker } from './breaker.ts';

function clockedBreaker() {
  const clock = { ms: 0 };
  return { clock, ...breaker({ restMs: 250, now: () => clock.ms }) };
}

test('a store that works is always asked', () => {
  const { admits, succeeded } = clockedBreaker();
  for (let call = 0; call < 3; call++) {
    expect(admits()).toBe(true);
    succeeded();
  }
});

test('after a failure nobody asks until the rest is over', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  for (clock.ms = 0; clock.ms < 250; clock.ms += 50) expect(admits()).toBe(false);
  clock.ms = 250;
  expect(admits()).toBe(true);
});

test('one call tries at a time', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  clock.ms = 250;
  expect([admits(), admits(), admits()]).toEqual([true, false, false]);
});

test('a try that succeeds closes it, one that fails begins another rest', () => {
  const { clock, admits, failed, succeeded } = clockedBreaker();
  failed();
  clock.ms = 250;
  admits();
  failed();
  clock.ms = 499;
  expect(admits()).toBe(false);
  clock.ms = 500;
  expect(admits()).toBe(true);
  succeeded();
  expect([admits(), admits()]).toEqual([true, true]);
});

test('a try that never reports does not keep it open for ever', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  clock.ms = 250;
  expect(admits()).toBe(true);
  clock.ms = 500;
  expect(admits()).toBe(true);
});
