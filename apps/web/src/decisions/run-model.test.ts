import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import { expect, test, vi } from 'vitest';
import { createRunModel } from './run-model.ts';

const begin: ExperimentEvent = {
  ...{ kind: 'begin', experiment: 'never-oversell', claim: 'No ticket is sold twice.', load: 'A rush.' },
  arms: [
    { name: 'naive', what: 'reads, then writes' },
    { name: 'shipped', what: 'locks first' },
  ],
};
const request = (arm: string, actor: string, outcome: 'served' | 'refused' | 'failed'): ExperimentEvent => ({
  ...{ kind: 'request', arm, actor, outcome, atMs: 0 },
});

test('the events of an arm are drawn over time, and counted as they are drawn', () => {
  const model = createRunModel();
  model.take(begin);
  for (let n = 0; n < 100; n += 1) model.take(request('naive', 'task-1', 'served'));
  expect(model.isBehind).toBe(true);
  model.advance(16);
  const drawn = model.read().arms[0]?.counts.served ?? 0;
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThan(100);
  model.advance(Number.POSITIVE_INFINITY);
  expect(model.isBehind).toBe(false);
  expect(model.read().arms.map(({ counts }) => counts)).toEqual([
    { served: 100, refused: 0, failed: 0 },
    { served: 0, refused: 0, failed: 0 },
  ]);
});

test('requests go to the lane of their actor, and a scene starts a new section', () => {
  const model = createRunModel();
  model.take(begin);
  model.take(request('naive', 'task-1', 'served'));
  model.take(request('naive', 'task-2', 'refused'));
  model.take({ kind: 'level', arm: 'naive', name: 'tickets', value: 30, most: 20, atMs: 1 });
  model.take({ kind: 'scene', arm: 'naive', what: 'Redis forgets', atMs: 2 });
  model.take(request('naive', 'task-1', 'failed'));
  model.advance(Number.POSITIVE_INFINITY);
  const [first, second] = model.drawingOf('naive')?.sections ?? [];
  expect(first?.scene).toBeUndefined();
  expect([...(first?.lanes ?? [])]).toEqual([
    ['task-1', ['served']],
    ['task-2', ['refused']],
  ]);
  expect(first?.levels.get('tickets')).toEqual({ most: 20, values: [30], atMs: [1] });
  expect(second).toMatchObject({ scene: 'Redis forgets', outcomes: ['failed'] });
});

test('a scene that all arms share is announced once', () => {
  const spoken = vi.fn();
  const model = createRunModel(spoken);
  model.take(begin);
  for (const arm of ['naive', 'shipped']) model.take({ kind: 'scene', arm, what: 'Redis forgets', atMs: 0 });
  model.advance(Number.POSITIVE_INFINITY);
  expect(spoken.mock.calls).toEqual([['Redis forgets']]);
});

test('a replay produces the same drawing', () => {
  const model = createRunModel();
  model.take(begin);
  for (const outcome of ['served', 'refused', 'failed'] as const) model.take(request('shipped', 'task-1', outcome));
  model.advance(Number.POSITIVE_INFINITY);
  const before = structuredClone(model.drawingOf('shipped'));
  model.replay();
  expect(model.isBehind).toBe(true);
  model.advance(Number.POSITIVE_INFINITY);
  expect(model.drawingOf('shipped')).toEqual(before);
  expect(model.read().arms[1]?.counts).toEqual({ served: 1, refused: 1, failed: 1 });
});

test('a restarted stream draws nothing twice', () => {
  const model = createRunModel();
  for (let time = 0; time < 2; time += 1) {
    model.take(begin);
    model.take(request('naive', 'task-1', 'served'));
    model.advance(Number.POSITIVE_INFINITY);
  }
  expect(model.read().arms[0]?.counts.served).toBe(1);
});

test('events beyond the bound of the model are dropped', () => {
  const model = createRunModel();
  model.take(begin);
  for (let n = 0; n < 25_000; n += 1) model.take(request('naive', 'task-1', 'served'));
  model.advance(Number.POSITIVE_INFINITY);
  expect(model.read().arms[0]?.counts.served).toBe(20_000);
});

test('new events wake the drawing loop, and drawing itself does not', () => {
  const woken = vi.fn();
  const model = createRunModel();
  model.onNews(woken);
  model.take(begin);
  model.take(request('naive', 'task-1', 'served'));
  expect(woken).toHaveBeenCalledTimes(2);
  model.advance(Number.POSITIVE_INFINITY);
  expect(woken).toHaveBeenCalledTimes(2);
});

test('an event of an unknown arm is ignored', () => {
  const model = createRunModel();
  model.take(request('nobody', 'task-1', 'served'));
  model.advance(Number.POSITIVE_INFINITY);
  expect(model.read().arms).toEqual([]);
});
