import type { Pool } from 'undici';
import { expect, test } from 'vitest';
import { rotation, type Task } from './tasks.ts';

const tasks = (...takesRequests: boolean[]): Task[] =>
  takesRequests.map((isIn, index) => ({ origin: `task-${index + 1}`, out: !isIn, pool: {} as Pool }));

const origins = (next: ReturnType<typeof rotation>, calls: number) =>
  Array.from({ length: calls }, () => next(new Set())?.origin);

test('tasks take strict turns', () => {
  expect(origins(rotation(tasks(true, true, true)), 7)).toEqual([
    'task-1',
    'task-2',
    'task-3',
    'task-1',
    'task-2',
    'task-3',
    'task-1',
  ]);
});

test('a task that is out loses its turn, and has it again when it is in', () => {
  const all = tasks(true, false, true);
  const next = rotation(all);
  expect(origins(next, 4)).toEqual(['task-1', 'task-3', 'task-1', 'task-3']);
  for (const task of all) task.out = false;
  expect(origins(next, 3)).toEqual(['task-1', 'task-2', 'task-3']);
});

test('when all tasks are out they take turns all the same', () => {
  expect(origins(rotation(tasks(false, false)), 3)).toEqual(['task-1', 'task-2', 'task-1']);
});

test('a request is given to each task once', () => {
  const next = rotation(tasks(true, false, true));
  const tried = new Set<Task>();
  for (let task = next(tried); task; task = next(tried)) tried.add(task);
  expect([...tried].map(({ origin }) => origin)).toEqual(['task-1', 'task-3', 'task-2']);
});
