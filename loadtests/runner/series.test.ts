import { expect, test } from 'vitest';
import { gatherSeries } from './series.ts';

const begin = Date.parse('2026-12-01T10:00:00.250Z');
const point = (metric: string, afterMs: number, value: number, tags: Record<string, string>) =>
  JSON.stringify({ metric, type: 'Point', data: { time: new Date(begin + afterMs).toISOString(), value, tags } });
const answer = (afterMs: number, outcome: string, task = 'task-1') =>
  point('answers', afterMs, 1, { call: 'GET /v1/events', outcome, task, group: '' });

function gather(lines: string[]) {
  const series = gatherSeries();
  for (const line of lines) series.take(line);
  return series.finish();
}

test('answers are counted by second, outcome, call and task', () => {
  const { moments, calls, tasks } = gather([
    answer(0, 'ok'),
    answer(700, 'ok', 'task-2'),
    answer(2100, 'rate_limited'),
    point('http_req_duration', 0, 12, { name: 'GET /v1/events' }),
  ]);
  expect(moments.map(({ second, outcomes }) => [second, outcomes])).toEqual([
    [0, { ok: 2 }],
    [1, {}],
    [2, { rate_limited: 1 }],
  ]);
  expect(moments[0]).toMatchObject({ p50: 12, p99: 12 });
  expect(moments[1]).toMatchObject({ p50: null });
  expect(tasks).toEqual({ 'task-1': 2, 'task-2': 1 });
  expect(calls).toMatchObject([{ call: 'GET /v1/events', count: 1, outcomes: { ok: 2, rate_limited: 1 } }]);
});

test('what prepares a run, and what tidies up after it, is not part of it', () => {
  const { moments } = gather([
    point('answers', -9000, 1, { call: 'POST /v1/events', outcome: 'ok', group: '::setup' }),
    answer(0, 'ok'),
    point('answers', 5000, 1, { call: 'PATCH /v1/events/:event', outcome: 'ok', group: '::teardown' }),
  ]);
  expect(moments).toHaveLength(1);
});

test('a run that was ended before its first answer has no seconds', () => {
  expect(gather([])).toEqual({ moments: [], marks: [], tasks: {}, calls: [] });
});

test('marks stand where they happened', () => {
  expect(gather([answer(0, 'ok'), point('marks', 1750, 1, { says: 'Redis pauses' })]).marks).toEqual([
    { second: 2, says: 'Redis pauses' },
  ]);
});

test('lines that are no measurements are passed over', () => {
  const { moments } = gather(['', 'k6 says something', '{"type":"Metric","metric":"answers"}', answer(0, 'ok')]);
  expect(moments).toHaveLength(1);
});
