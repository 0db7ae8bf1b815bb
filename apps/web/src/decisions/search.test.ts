import { summaries } from 'virtual:decisions';
import { expect, test } from 'vitest';
import { matching } from './search.ts';

const namesFor = (text: string) => matching(summaries, { text, difficulty: 'any' }).map(({ name }) => name);

test('an empty search finds every decision', () => {
  expect(namesFor('  ')).toEqual(summaries.map(({ name }) => name));
});

test('a search reads title, question, standard names and the answer, in any case and order of words', () => {
  expect(namesFor('TOCTOU')).toContain('atomic-or-not');
  expect(namesFor('locking PESSIMISTIC')).toContain('never-oversell');
  expect(namesFor('thirty people click')).toContain('never-oversell');
});

test('words that no card has find nothing, and no character is special', () => {
  expect(namesFor('.*')).toEqual([]);
  expect(namesFor('pessimistic zebra')).toEqual([]);
});

test('a difficulty narrows the search, and every decision has one', () => {
  const found = (['easy', 'medium', 'hard'] as const).flatMap((difficulty) =>
    matching(summaries, { text: '', difficulty }),
  );
  expect(found.map(({ name }) => name).toSorted()).toEqual(summaries.map(({ name }) => name).toSorted());
});
