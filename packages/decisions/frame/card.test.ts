import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { experiments } from '../experiments.ts';
import { parseCard, readCard } from './card.ts';
import { repositoryRoot } from './shipped-source.ts';

const whole = readFileSync(join(repositoryRoot, 'packages/decisions/never-oversell/card.md'), 'utf8');
const faultsOf = (text: string) => parseCard('never-oversell', text).faults;

test('a whole card is read into its parts', () => {
  const card = readCard('never-oversell');
  expect(card.title).toBe('The last place is sold once');
  expect(card.question).toMatch(/^Twenty places are left .* thirty\?$/);
  expect(card.counterQuestions[0]?.question).toMatch(/^Why not one `UPDATE/);
  expect(card.code[0]).toMatchObject({ file: 'apps/api/src/queries/holds.ts', region: 'lock' });
  expect(card.code[0]?.text).toContain('for no key update');
  expect(card.commands[0]).toBe('npm run experiment -- never-oversell');
});

test('every experiment has a card', () => {
  expect(experiments.map(({ name }) => readCard(name).name)).toEqual(experiments.map(({ name }) => name));
});

test('whatever is missing is named, all of it at once', () => {
  const sections = ['In 30 seconds', 'In depth', 'What it costs', 'What they ask next', 'In the code', 'Run it'];
  expect(faultsOf('').toSorted()).toEqual(
    [
      'it has no title',
      'it has no question, which is a quotation below the title',
      ...sections.map((section) => `the section "${section}" is missing`),
      'it answers 0 counter-questions, not three to five',
      '"In the code" shows no lines',
      '"Run it" does not say npm run experiment -- never-oversell',
    ].toSorted(),
  );
});

test('what is too long to be said is found', () => {
  const long = whole.replace('## In depth', `${'word '.repeat(80)}\n\n## In depth`);
  expect(faultsOf(long)).toEqual([expect.stringMatching(/"In 30 seconds" has \d+ words, at most 80 are allowed/)]);
});

test('places in the code that are not there, links and commands that lead nowhere are found', () => {
  expect(faultsOf(whole.replace('holds.ts#lock', 'holds.ts#key'))).toEqual([
    'apps/api/src/queries/holds.ts has no region "key"',
  ]);
  expect(faultsOf(whole.replace('holds.ts#lock', 'gone.ts#lock'))).toEqual([
    'there is no file apps/api/src/queries/gone.ts',
    '../../../apps/api/src/queries/gone.ts leads nowhere',
  ]);
  expect(faultsOf(whole.replace('#lock)', ')'))).toEqual(['"In the code" has an item that links to no region']);
  expect(faultsOf(whole.replace('npm run experiment -- never-oversell --mutated', 'npm run magic'))).toEqual([
    '"npm run magic" is no command of this repository',
  ]);
});
