import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockFace, duration, msToNextSecond, secondsLeft, spokenMark } from './durations.ts';

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const leftMs = fc.integer({ min: -10_000, max: 100_000_000 });

test('a countdown shows 0 exactly when its instant is reached, never before', () => {
  fc.assert(
    fc.property(instant, leftMs, (until, left) => {
      expect(secondsLeft(until, until - left) === 0).toBe(left <= 0);
    }),
  );
});

test('a countdown never shows a whole second more than is left', () => {
  fc.assert(
    fc.property(instant, leftMs, (until, left) => {
      expect(secondsLeft(until, until - left) * 1000).toBeLessThan(Math.max(0, left) + 1000);
    }),
  );
});

test('a countdown shows one second less after msToNextSecond, and not a millisecond sooner', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 100_000_000 }), (until, left) => {
      const now = until - left;
      const shown = secondsLeft(until, now);
      const wait = msToNextSecond(until, now);
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(1000);
      expect(secondsLeft(until, now + wait)).toBe(shown - 1);
      expect(secondsLeft(until, now + wait - 1)).toBe(shown);
    }),
  );
});

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [42, '42 seconds'],
  [60, '1 min'],
  [102, '1 min 42 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h'],
  [7500, '2 h 5 min'],
  [86_400, '1 day'],
  [273_600, '3 days 4 h'],
])('%i seconds are written as "%s"', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

test.each([
  [0, '0:00'],
  [7, '0:07'],
  [547, '9:07'],
  [600, '10:00'],
  [3600, '60:00'],
])('a clock face shows %i seconds as %s', (seconds, face) => {
  expect(clockFace(seconds)).toBe(face);
});

test('a ten-minute countdown is announced five times', () => {
  const marks = Array.from({ length: 600 }, (_, passed) => spokenMark(600 - passed));
  const changes = marks.filter((mark, index) => index === 0 || mark !== marks[index - 1]);
  expect(changes).toEqual([undefined, 300, 120, 60, 30, 10]);
});
