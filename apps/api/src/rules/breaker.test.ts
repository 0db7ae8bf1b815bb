import { expect, test } from 'vitest';
import { breaker } from './breaker.ts';

function clockedBreaker() {
  const clock = { ms: 0 };
  return { clock, ...breaker({ cooldownMs: 250, now: () => clock.ms }) };
}

test('a closed breaker admits every call', () => {
  const { admits, succeeded } = clockedBreaker();
  for (let call = 0; call < 3; call++) {
    expect(admits()).toBe(true);
    succeeded();
  }
});

test('after a failure the breaker is open until the cooldown ends', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  for (clock.ms = 0; clock.ms < 250; clock.ms += 50) expect(admits()).toBe(false);
  clock.ms = 250;
  expect(admits()).toBe(true);
});

test('a half-open breaker admits one call at a time', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  clock.ms = 250;
  expect([admits(), admits(), admits()]).toEqual([true, false, false]);
});

test('a successful trial closes the breaker, and a failed one opens it for another cooldown', () => {
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

test('a trial that never reports does not block later trials', () => {
  const { clock, admits, failed } = clockedBreaker();
  failed();
  clock.ms = 250;
  expect(admits()).toBe(true);
  clock.ms = 500;
  expect(admits()).toBe(true);
});
