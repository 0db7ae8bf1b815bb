import { expect, test } from 'vitest';
import { pageOf } from './page.ts';
import type { Report } from './summary.ts';

const hostile = '<script src="https://elsewhere.example/x.js">&</script>';
const claim = {
  name: hostile,
  says: hostile,
  threshold: hostile,
  found: hostile,
  unit: '',
  atLeast: 1,
  isLimit: false,
};
const report: Report = {
  script: hostile,
  about: hostile,
  machine: hostile,
  runId: 'r',
  short: true,
  target: hostile,
  endedAt: '2026-12-01T10:00:00.000Z',
  seconds: 12,
  claims: [
    { ...claim, holds: true, met: false, tested: 3 },
    { ...claim, holds: false, met: false, tested: 0 },
  ],
  measurements: [{ name: hostile, says: hostile, unit: hostile, values: { count: 2, med: 1, max: 4, 'p(95)': 4 } }],
  holds: false,
  exitCode: 99,
  audit: { holds: false, says: [hostile] },
  series: {
    moments: [
      { second: 0, outcomes: { ok: 12, [hostile]: 3 }, p50: 4, p95: 9, p99: 20 },
      { second: 1, outcomes: {}, p50: null, p95: null, p99: null },
      { second: 2, outcomes: { rate_limited: 5 }, p50: 3, p95: 3, p99: 3 },
    ],
    marks: [{ second: 1, says: hostile }],
    tasks: { [hostile]: 20 },
    calls: [{ call: hostile, count: 20, outcomes: { [hostile]: 3 }, p50: 1, p95: 2, p99: 3 }],
  },
};

test('the page loads nothing and runs nothing, whatever a text says', () => {
  const page = pageOf(report);
  expect(page).not.toMatch(/<(script|link|img|iframe|object)\b|@import|url\(|\bsrc="|\bhref="/);
  expect(page).toContain("default-src 'none'");
});

test('the page says first whether it holds', () => {
  expect(pageOf(report)).toMatch(/class="verdict broken">Does not hold/);
  expect(pageOf({ ...report, holds: true })).toMatch(/class="verdict holds">Holds/);
});

test('charts hold only numbers that can be drawn', () => {
  const drawn = pageOf(report).match(/<svg.*?<\/svg>/gs) ?? [];
  expect(drawn).toHaveLength(2);
  expect(drawn.join('')).not.toMatch(/NaN|Infinity|undefined|null/);
});

test('a run of an hour is drawn in a few hundred bars', () => {
  const moments = Array.from({ length: 3600 }, (_, second) => ({
    second,
    outcomes: { ok: 8 },
    p50: 4,
    p95: 9,
    p99: 20,
  }));
  const page = pageOf({ ...report, series: { ...report.series, moments } });
  expect(page.match(/<rect class="ok"/g)?.length).toBeLessThanOrEqual(300);
});

test('a run that answered nothing has a page all the same', () => {
  expect(pageOf({ ...report, series: { moments: [], marks: [], tasks: {}, calls: [] } })).toContain('Claims');
});
