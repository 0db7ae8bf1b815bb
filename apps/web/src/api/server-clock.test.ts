import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createServerClock } from './server-clock.ts';

const start = Date.parse('2026-06-01T10:00:00.000Z');
const dateHeader = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString();

/** Two clocks: the server's is ahead of ours by `aheadMs`. */
function twoClocks(aheadAtFirstMs: number) {
  let aheadMs = aheadAtFirstMs;
  let now = start;
  const clock = createServerClock(() => now);
  return {
    clock,
    /** Observes a response that was written after `thereMs` and then travelled for `backMs`. */
    answer(thereMs: number, backMs: number, lagMs = 0) {
      const sentAt = now;
      now += thereMs;
      const header = dateHeader(now + aheadMs - lagMs);
      now += backMs;
      clock.observe(header, sentAt, now);
    },
    pass(ms: number) {
      now += ms;
    },
    errorMs: () => Math.abs(clock.now() - (now + aheadMs)),
    /** Sets the server's clock, which looks the same to us as setting our own. */
    setServer(toAheadMs: number) {
      aheadMs = toAheadMs;
    },
  };
}

const trip = fc.record({
  pauseMs: fc.integer({ min: 0, max: 7000 }),
  thereMs: fc.integer({ min: 0, max: 400 }),
  backMs: fc.integer({ min: 0, max: 400 }),
});

test('before the first response, the server clock equals this computer’s clock', () => {
  expect(createServerClock(() => start).now()).toBe(start);
});

test('the error is at most half a second plus half the round trip, whatever the offset of the clocks', () => {
  fc.assert(
    fc.property(fc.integer({ min: -90_000_000, max: 90_000_000 }), trip, (aheadMs, { thereMs, backMs }) => {
      const { clock, answer, errorMs } = twoClocks(aheadMs);
      answer(thereMs, backMs);
      expect(errorMs()).toBeLessThanOrEqual((1000 + 100 + thereMs + backMs) / 2);
      expect(clock.now()).toBeGreaterThan(0);
    }),
  );
});

test('further responses never increase the error above the best bound', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -90_000_000, max: 90_000_000 }),
      fc.array(trip, { minLength: 1, maxLength: 30 }),
      (aheadMs, trips) => {
        const { answer, pass, errorMs } = twoClocks(aheadMs);
        let best = Number.POSITIVE_INFINITY;
        for (const { pauseMs, thereMs, backMs } of trips) {
          pass(pauseMs);
          answer(thereMs, backMs);
          best = Math.min(best, (1000 + 100 + thereMs + backMs) / 2);
          expect(errorMs()).toBeLessThanOrEqual(best);
        }
      },
    ),
  );
});

test('responses at different parts of a second reduce the error to a fraction of a second', () => {
  const { answer, pass, errorMs } = twoClocks(123_456);
  for (let count = 0; count < 20; count += 1) {
    answer(5, 5);
    pass(947);
  }
  expect(errorMs()).toBeLessThan(100);
});

test('a Date header that is slightly stale does not reset the estimate', () => {
  const { answer, pass, errorMs } = twoClocks(0);
  for (let count = 0; count < 50; count += 1) {
    answer(2, 2, count % 2 === 0 ? 0 : 60);
    pass(373);
  }
  expect(errorMs()).toBeLessThan(120);
});

test('the estimate restarts after a clock was set', () => {
  const { answer, pass, errorMs, setServer } = twoClocks(0);
  answer(5, 5);
  pass(500);
  answer(5, 5);
  setServer(-3_600_000);
  answer(5, 5);
  expect(errorMs()).toBeLessThanOrEqual((1000 + 100 + 10) / 2);
});

test.each([null, '', 'yesterday'])('a Date header of %j is ignored', (header) => {
  const clock = createServerClock(() => start);
  clock.observe(header, start, start);
  expect(clock.now()).toBe(start);
});
