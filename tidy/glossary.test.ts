import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesOfRepository } from './files.ts';

const glossary = 'docs/glossary.md';
const rows = [
  ...readFileSync(glossary, 'utf8').matchAll(/^\| (?!term |---)(.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm),
].map(([, terms = '', meaning = '', code = '', decision = '']) => ({
  terms: terms.split(', '),
  meaning,
  code,
  decision,
}));
/** The cards and documents, where line breaks are spaces. */
const texts = filesOfRepository()
  .filter((file) => file.endsWith('.md') && file !== glossary)
  .map((file) => readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ').toLowerCase());

test('every term of the glossary occurs in a card or document', () => {
  const terms = rows.flatMap((row) => row.terms);
  expect(terms.length).toBeGreaterThan(50);
  expect(terms.filter((term) => !texts.some((text) => text.includes(term.toLowerCase())))).toEqual([]);
});

test('every term of the glossary links the code that shows it', () => {
  expect(rows.filter(({ code }) => !/\]\(\.\.\/[^)]+\)/.test(code)).map(({ terms }) => terms[0])).toEqual([]);
});

test('the decision that a glossary row links uses the term, unless its code alone shows it', () => {
  const mismatched = rows.filter(({ terms, decision }) => {
    const card = /\]\(\.\.\/([^)]+card\.md)\)/.exec(decision)?.[1];
    if (card === undefined) return decision !== '–';
    const text = readFileSync(card, 'utf8').replaceAll(/\s+/g, ' ').toLowerCase();
    return !terms.some((term) => text.includes(term.toLowerCase()));
  });
  expect(mismatched.map(({ terms }) => terms[0])).toEqual([]);
});

test('the glossary is sorted', () => {
  const firsts = rows.map(({ terms }) => terms[0]?.toLowerCase() ?? '');
  expect(firsts).toEqual(firsts.toSorted());
});
