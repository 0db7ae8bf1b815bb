import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createServerClock } from './server-clock.ts';

const start = Date.parse('2026-06-01T10:00:00.000Z');
const dateHeader = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString();

/** A world with two clocks: the server's is ahead of ours by `aheadMs`. */
function world(aheadAtFirstMs: number) {
  let aheadMs = aheadAtFirstMs;
  let now = start;
  const clock = createServerClock(() => now);
  return {
    clock,
    /** An answer that was written after `thereMs` and then travelled for `backMs`. */
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
    /** The same to us, whichever of the two clocks is set. */
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

test('without an answer it is this computer’s clock', () => {
  expect(createServerClock(() => start).now()).toBe(start);
});

test('it is off by no more than half a second and half the time that the answer took, whatever the two clocks say', () => {
  fc.assert(
    fc.property(fc.integer({ min: -90_000_000, max: 90_000_000 }), trip, (aheadMs, { thereMs, backMs }) => {
      const { clock, answer, errorMs } = world(aheadMs);
      answer(thereMs, backMs);
      expect(errorMs()).toBeLessThanOrEqual((1000 + 100 + thereMs + backMs) / 2);
      expect(clock.now()).toBeGreaterThan(0);
    }),
  );
});

test('more answers never make it worse than the best one allows', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -90_000_000, max: 90_000_000 }),
      fc.array(trip, { minLength: 1, maxLength: 30 }),
      (aheadMs, trips) => {
        const { answer, pass, errorMs } = world(aheadMs);
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

test('answers at different parts of a second narrow it to a small part of one', () => {
  const { answer, pass, errorMs } = world(123_456);
  for (let count = 0; count < 20; count += 1) {
    answer(5, 5);
    pass(947);
  }
  expect(errorMs()).toBeLessThan(100);
});

test('a header that was renewed a little late does not upset it', () => {
  const { answer, pass, errorMs } = world(0);
  for (let count = 0; count < 50; count += 1) {
    answer(2, 2, count % 2 === 0 ? 0 : 60);
    pass(373);
  }
  expect(errorMs()).toBeLessThan(120);
});

test('when a clock is set, it learns anew', () => {
  const { answer, pass, errorMs, setServer } = world(0);
  answer(5, 5);
  pass(500);
  answer(5, 5);
  setServer(-3_600_000);
  answer(5, 5);
  expect(errorMs()).toBeLessThanOrEqual((1000 + 100 + 10) / 2);
});

test.each([null, '', 'yesterday'])('a Date header of %j teaches nothing', (header) => {
  const clock = createServerClock(() => start);
  clock.observe(header, start, start);
  expect(clock.now()).toBe(start);
});
