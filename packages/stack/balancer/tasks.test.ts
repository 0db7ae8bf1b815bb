import { expect, test } from 'vitest';
import { inTurn, openTask, rotation, type Task, type TaskState } from './tasks.ts';

const tasks = (...states: TaskState[]): Task[] =>
  states.map((state, index) => ({ ...openTask(`http://task-${index + 1}`, 1), state }));

const origins = (next: ReturnType<typeof rotation>, calls: number) =>
  Array.from({ length: calls }, () => next(new Set())?.origin.slice('http://'.length));

test('ready tasks take strict turns', () => {
  expect(origins(rotation(tasks('ready', 'ready', 'ready')), 7)).toEqual([
    'task-1',
    'task-2',
    'task-3',
    'task-1',
    'task-2',
    'task-3',
    'task-1',
  ]);
});

test.each(['unready', 'draining', 'silent'] as const)(
  'a task that is %s gets no requests while another is ready, and gets them again when it is ready',
  (state) => {
    const all = tasks('ready', state, 'ready');
    const next = rotation(all);
    expect(origins(next, 4)).toEqual(['task-1', 'task-3', 'task-1', 'task-3']);
    for (const task of all) task.state = 'ready';
    expect(origins(next, 3)).toEqual(['task-1', 'task-2', 'task-3']);
  },
);

test('while no task is ready, unready tasks take turns, and draining and silent ones get no requests', () => {
  const all = tasks('unready', 'silent', 'unready', 'draining');
  expect(origins(rotation(all), 4)).toEqual(['task-1', 'task-3', 'task-1', 'task-3']);
  expect(inTurn(all).map(({ state }) => state)).toEqual(['unready', 'unready']);
});

test('silent tasks take turns when there are no other tasks', () => {
  expect(origins(rotation(tasks('silent', 'silent')), 3)).toEqual(['task-1', 'task-2', 'task-1']);
});

test('a request tries each task once, the ready ones first', () => {
  const next = rotation(tasks('ready', 'silent', 'ready'));
  const tried = new Set<Task>();
  for (let task = next(tried); task; task = next(tried)) tried.add(task);
  expect([...tried].map(({ origin }) => origin)).toEqual(['http://task-1', 'http://task-3', 'http://task-2']);
});
