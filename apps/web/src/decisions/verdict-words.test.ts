import type { ArmResult, MeasureResult } from '@minitickets/decisions/frame/results';
import { exactly } from '@minitickets/decisions/frame/results';
import { expect, test } from 'vitest';
import { armTitle } from './arm-panel.tsx';
import { circumstances, guessSentence, verdictSentences } from './verdict-words.ts';

const measure = (found: number, stated: number, right: number): MeasureResult => ({
  ...{ measure: 'places', what: 'places given, of 20', found },
  ...{ expected: exactly(stated), asExpected: found === stated, holds: found === right },
});
const arm = (name: string, ...measures: MeasureResult[]): ArmResult => ({
  ...{ name, what: name, requests: 30, durationMs: 10, measures },
  proved: true,
});

test('a naive arm is said to fail by what was found, beside what is right', () => {
  const arms = [arm('read-then-write', measure(30, 30, 20)), arm('shipped', measure(20, 20, 20))];
  expect(verdictSentences({ arms })).toEqual([
    'Read then write fails. Places given, of 20: 30, and 20 is right.',
    'What is shipped holds in all that was measured.',
  ]);
});

test('a naive arm that is right, and a shipped one that is not, are said to be so', () => {
  const arms = [arm('read-then-write', measure(20, 30, 20)), arm('shipped', measure(21, 20, 20))];
  expect(verdictSentences({ arms })).toEqual([
    'Read then write does not fail: it holds all that the shipped design holds.',
    'What is shipped does not hold. Places given, of 20: 21, stated 20.',
  ]);
});

test.each([
  [30, 30, 'You said 30, and it is exactly so.'],
  [20, 30, 'You said 20. It was 30.'],
  [1.5, 2.345, 'You said 1.5. It was 2.35.'],
])('who guessed %d of %d is told so', (predicted, found, sentence) => {
  expect(guessSentence({ predicted, found }, true)).toBe(sentence);
});

test('who has not guessed is not told to have', () => {
  expect(guessSentence({ predicted: 20, found: 30 }, false)).toBe('The guess was 20. It was 30.');
});

test('how long a run took, and on what, is said in sentences', () => {
  const result = { durationMs: 3456, stores: 'the running stack’s', machine: '2 × AMD EPYC' };
  expect(circumstances(result)).toBe('It took 3.5 s. Stores: the running stack’s. Machine: 2 × AMD EPYC.');
});

test.each([
  ['map-per-task', 'Map per task'],
  ['counter-in-redis', 'Counter in Redis'],
  ['tasks-clock', 'Task’s clock'],
  ['shipped', 'What is shipped'],
])('the arm %s is called %s', (name, title) => {
  expect(armTitle(name)).toBe(title);
});
