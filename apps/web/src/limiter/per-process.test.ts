import { expect, test } from 'vitest';
import { createPerProcess } from './per-process.ts';

const limit = { cost: 1, capacity: 10, refillPerMs: 0.001 };

test('with a limiter per process, each task grants the whole limit', () => {
  const perProcess = createPerProcess();
  for (let request = 0; request < 60; request += 1) {
    perProcess.decide({ task: `task-${1 + (request % 3)}`, at: 0, ...limit });
  }
  expect([perProcess.served, perProcess.tasks]).toEqual([30, 3]);
});

test('with a single task, a limiter per process equals the shared limiter', () => {
  const perProcess = createPerProcess();
  for (let second = 0; second < 20; second += 1) {
    for (let request = 0; request < 5; request += 1) {
      perProcess.decide({ task: 'task-1', at: second * 1000, ...limit });
    }
  }
  expect(perProcess.served).toBe(10 + 19);
});

test('a raised limit adds its difference to each bucket once, however often it is switched', () => {
  const perProcess = createPerProcess();
  const decide = (capacity: number) => {
    for (let request = 0; request < 40; request += 1) {
      perProcess.decide({ task: 'task-1', at: 0, ...limit, capacity });
    }
    return perProcess.served;
  };
  expect([decide(10), decide(30), decide(10), decide(30)]).toEqual([10, 30, 30, 30]);
});
