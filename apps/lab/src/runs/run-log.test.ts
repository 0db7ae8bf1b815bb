import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import { expect, test } from 'vitest';
import { openRunLog } from './run-log.ts';

const level = (value: number, name = 'tokens'): ExperimentEvent => ({
  ...{ kind: 'level', arm: 'shipped', atMs: value, name, value, most: 1000 },
});
const request = (outcome: 'served' | 'refused'): ExperimentEvent => ({
  ...{ kind: 'request', arm: 'shipped', atMs: 0, actor: 'task-1', outcome },
});
const armEnd: ExperimentEvent = {
  ...{ kind: 'arm-end', arm: 'shipped' },
  result: { name: 'shipped', what: '', requests: 1, durationMs: 1, measures: [], proved: true },
};
const received = (log: ReturnType<typeof openRunLog>) => log.all().map(({ data }) => JSON.parse(data));
const never = new AbortController().signal;

test('the log of a run is bounded and counts the dropped events', () => {
  const log = openRunLog(undefined, 100);
  for (let value = 0; value < 1000; value += 1) log.tellExperiment(level(value));
  const levels = received(log).filter(({ kind }) => kind === 'level');
  expect(levels.map(({ value }) => value)).toEqual(Array.from({ length: 63 }, (_, index) => index * 16));
  expect(received(log).filter(({ oneIn }) => oneIn)).toEqual([2, 4, 8, 16].map((oneIn) => ({ oneIn })));
});

test('sampling keeps every outcome, however regularly they alternate', () => {
  const log = openRunLog(undefined, 100);
  for (let pair = 0; pair < 200; pair += 1) {
    log.tellExperiment(request('served'));
    log.tellExperiment(request('refused'));
  }
  const of = (outcome: string) => received(log).filter((event) => event.outcome === outcome);
  expect([of('served').length, of('refused').length]).toEqual([50, 50]);
});

test('the final value of a level is always kept', () => {
  const log = openRunLog(undefined, 100);
  for (let value = 0; value < 998; value += 1) log.tellExperiment(level(value));
  log.tellExperiment(armEnd);
  expect(received(log).slice(-2)).toMatchObject([{ kind: 'level', value: 997 }, { kind: 'arm-end' }]);
});

test('the number of series is bounded', () => {
  const log = openRunLog(undefined, 1000);
  for (let n = 0; n < 20_000; n += 1) log.tellExperiment(level(1, `bucket ${n}`));
  log.tellExperiment(armEnd);
  expect(log.all().length).toBeLessThan(2_000);
});

test('the number of scenes and the size of an event are bounded', () => {
  const log = openRunLog();
  const scene = (what: string) => log.tellExperiment({ kind: 'scene', arm: 'shipped', atMs: 0, what });
  scene('a'.repeat(100_000));
  for (let n = 0; n < 5_000; n += 1) scene('again');
  expect(log.all()).toHaveLength(1_000);
});

test('event ids increase across dropped events, and a listener resumes after its last event', async () => {
  const log = openRunLog(undefined, 10);
  for (let value = 0; value < 40; value += 1) log.tellExperiment(level(value));
  const ids = log.all().map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  const after = await log.after(20, { withinMs: 0, signal: never });
  expect(after?.map(({ id }) => id)).toEqual(ids.filter((id) => id > 20));
});

test('a listener gets later events, a timeout without events, and the end', async () => {
  const log = openRunLog();
  const waiting = log.after(0, { withinMs: 60_000, signal: never });
  log.tellRun({ status: 'queued' });
  expect(await waiting).toMatchObject([{ id: 1, event: 'run', data: '{"status":"queued"}' }]);
  expect(await log.after(1, { withinMs: 1, signal: never })).toEqual([]);
  const last = log.after(1, { withinMs: 60_000, signal: never });
  log.end();
  expect(await last).toBeUndefined();
});

test('a listener that disconnects stops waiting', async () => {
  const leaving = new AbortController();
  const waiting = openRunLog().after(0, { withinMs: 60_000, signal: leaving.signal });
  leaving.abort();
  expect(await waiting).toEqual([]);
});
