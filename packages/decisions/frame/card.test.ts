import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { experiments } from '../experiments.ts';
import { parseCard, readCard } from './card.ts';
import { repositoryRoot } from './shipped-source.ts';

const whole = readFileSync(join(repositoryRoot, 'packages/decisions/never-oversell/card.md'), 'utf8');
const faultsOf = (text: string) => parseCard('never-oversell', text).faults;

test('reads a complete card into its parts', () => {
  const card = readCard('never-oversell');
  expect(card.title).toBe('Overselling: thirty buyers, twenty tickets');
  expect(card.alsoKnownAs).toMatch(/^a check-then-act race .* pessimistic locking\.$/);
  expect(card.question).toMatch(/^Twenty tickets are left .* thirty\?$/);
  expect(card.difficulty).toBe('medium');
  expect(card.constraints).toMatch(/^- Bookings of one event arrive at all three tasks at once/);
  expect(card.counterQuestions[0]?.question).toMatch(/^Why not one `UPDATE/);
  expect(card.code[0]).toMatchObject({ file: 'apps/api/src/queries/holds.ts', region: 'lock' });
  expect(card.code[0]?.text).toContain('for no key update');
  expect(card.commands[0]).toBe('npm run experiment -- never-oversell');
});

test('every experiment has a card', () => {
  expect(experiments.map(({ name }) => readCard(name).name)).toEqual(experiments.map(({ name }) => name));
});

test('names everything that is missing at once', () => {
  const sections = ['Constraints', 'In 30 seconds', 'In depth', 'What it costs', 'What they ask next', 'In the code'];
  sections.push('Theory and measurements', 'Run it');
  expect(faultsOf('').toSorted()).toEqual(
    [
      'it has no title',
      'it does not open with "Also known as …", the standard names of its anomaly or pattern',
      'it has no question, which is a block quotation above the first section',
      'it states no difficulty, which is a line "Difficulty: …" with easy, medium, hard',
      '"Constraints" is not a list of two to four items',
      ...sections.map((section) => `the section "${section}" is missing`),
      'it answers 0 follow-up questions instead of three to five',
      '"In the code" lists no code',
      '"Theory and measurements" does not list sources and, last, an item "Measured here: …"',
      '"Run it" does not list npm run experiment -- never-oversell',
    ].toSorted(),
  );
});

test('a card without the standard names of its anomaly or pattern is refused, also if the line is empty', () => {
  const fault = ['it does not open with "Also known as …", the standard names of its anomaly or pattern'];
  expect(faultsOf(whole.replace(/^Also known as .*$/m, ''))).toEqual(fault);
  expect(faultsOf(whole.replace(/^Also known as .*$/m, 'Also known as '))).toEqual(fault);
});

test('a card names its sources, and last where its cost is measured', () => {
  const fault = ['"Theory and measurements" does not list sources and, last, an item "Measured here: …"'];
  expect(faultsOf(whole.replace('Measured here: ', ''))).toEqual(fault);
  expect(faultsOf(whole.replace(/(?<=measurements\n\n)[\s\S]*(?=- Measured here)/, ''))).toEqual(fault);
});

test('a card states one of the known difficulties', () => {
  const fault = ['it states no difficulty, which is a line "Difficulty: …" with easy, medium, hard'];
  expect(faultsOf(whole.replace(/^Difficulty: .*$/m, ''))).toEqual(fault);
  expect(faultsOf(whole.replace(/^Difficulty: .*$/m, 'Difficulty: brutal'))).toEqual(fault);
});

test('a card lists two to four constraints', () => {
  const withConstraints = (text: string) => faultsOf(whole.replace(/(?<=## Constraints\n\n)[\s\S]*?(?=\n\n## )/, text));
  const fault = ['"Constraints" is not a list of two to four items'];
  expect(withConstraints('- one')).toEqual(fault);
  expect(withConstraints('- one\n- two\n- three\n- four\n- five')).toEqual(fault);
  expect(withConstraints('First:\n\n- one\n- two')).toEqual(fault);
  expect(withConstraints('- one\n- two')).toEqual([]);
});

test('reports an answer that is too long for 30 seconds', () => {
  const long = whole.replace('## In depth', `${'word '.repeat(80)}\n\n## In depth`);
  expect(faultsOf(long)).toEqual([expect.stringMatching(/"In 30 seconds" has \d+ words, at most 80 are allowed/)]);
});

test('reports regions, files, links and commands that do not exist', () => {
  expect(faultsOf(whole.replace('holds.ts#lock', 'holds.ts#key'))).toEqual([
    'apps/api/src/queries/holds.ts has no region "key"',
  ]);
  expect(faultsOf(whole.replace('holds.ts#lock', 'gone.ts#lock'))).toEqual([
    'there is no file apps/api/src/queries/gone.ts',
    '../../../apps/api/src/queries/gone.ts does not exist',
  ]);
  expect(faultsOf(whole.replace('#lock)', ')'))).toEqual(['"In the code" has an item without a link to a region']);
  expect(faultsOf(whole.replace('npm run experiment -- never-oversell --mutated', 'npm run magic'))).toEqual([
    '"npm run magic" is not a command of this repository',
  ]);
});
