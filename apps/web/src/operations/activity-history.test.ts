import { expect, test } from 'vitest';
import { createActivityHistory } from './activity-history.ts';

const totals = (allowed: number) => ({ allowed, throttled: 0, suppressed: 0 });

test('within a minute a rate is the difference of the counts', () => {
  const history = createActivityHistory();
  history.add(10_000, 7, totals(100), totals(500));
  history.add(12_000, 7, totals(130), totals(530));
  expect(history.points).toMatchObject([{ at: 12_000, allowed: 15 }]);
});

test('across the end of a minute what it still got counts too', () => {
  const history = createActivityHistory();
  history.add(58_000, 0, totals(100), totals(100));
  // Ten more before the end, twenty in the new minute.
  history.add(62_000, 1, totals(20), totals(130));
  expect(history.points).toMatchObject([{ allowed: 7.5 }]);
});

test('a page that slept claims nothing about the minutes that it did not see', () => {
  const history = createActivityHistory();
  history.add(10_000, 0, totals(100), totals(100));
  history.add(400_000, 6, totals(50), totals(90));
  expect(history.points).toMatchObject([{ allowed: 0 }]);
});
