import type { ArmResult, MeasureResult } from '@minitickets/decisions/frame/results';
import { exactly } from '@minitickets/decisions/frame/results';
import { expect, test } from 'vitest';
import { armTitle } from './arm-panel.tsx';
import { circumstances, guessSentence, verdictSentences } from './verdict-words.ts';

const measure = (found: number, stated: number, right: number): MeasureResult => ({
  ...{ measure: 'tickets', what: 'tickets sold, of 20', found },
  ...{ expected: exactly(stated), asExpected: found === stated, holds: found === right },
});
const arm = (name: string, ...measures: MeasureResult[]): ArmResult => ({
  ...{ name, what: name, requests: 30, durationMs: 10, measures },
  proved: true,
});

test('a failing naive arm is described by the measured and the correct value', () => {
  const arms = [arm('read-then-write', measure(30, 30, 20)), arm('shipped', measure(20, 20, 20))];
  expect(verdictSentences({ arms })).toEqual([
    'Read then write fails. Tickets sold, of 20: 30 instead of 20.',
    'The shipped design is correct in every measure.',
  ]);
});

test('a naive arm that does not fail and a shipped arm that does are described as such', () => {
  const arms = [arm('read-then-write', measure(20, 30, 20)), arm('shipped', measure(21, 20, 20))];
  expect(verdictSentences({ arms })).toEqual([
    'Read then write does not fail: it is correct in every measure, like the shipped design.',
    'The shipped design fails. Tickets sold, of 20: 21 instead of 20.',
  ]);
});

test.each([
  [30, 30, 'You guessed 30, which is exactly right.'],
  [20, 30, 'You guessed 20. It was 30.'],
  [1.5, 2.345, 'You guessed 1.5. It was 2.35.'],
])('a guess of %d for %d is compared in a sentence', (predicted, found, sentence) => {
  expect(guessSentence({ predicted, found }, true)).toBe(sentence);
});

test('a shared run’s guess is not attributed to the reader', () => {
  expect(guessSentence({ predicted: 20, found: 30 }, false)).toBe('The guess was 20. It was 30.');
});

test('the duration and the environment of a run are described in sentences', () => {
  const result = { durationMs: 3456, stores: 'the running stack’s', machine: '2 × AMD EPYC' };
  expect(circumstances(result)).toBe('It took 3.5 s. Stores: the running stack’s. Machine: 2 × AMD EPYC.');
});

test.each([
  ['map-per-task', 'Map per task'],
  ['counter-in-redis', 'Counter in Redis'],
  ['tasks-clock', 'Task’s clock'],
  ['shipped', 'The shipped design'],
])('the arm %s has the title %s', (name, title) => {
  expect(armTitle(name)).toBe(title);
});
