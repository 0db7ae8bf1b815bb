import { expect, test } from 'vitest';
import { label } from './fields.ts';
import { foldText, isVisibleText, searchWords } from './text.ts';

test.each([
  ['accents', 'Zürich', 'zurich'],
  ['composed and decomposed letters', 'Zürich', 'Zu\u0308rich'],
  ['case beyond ASCII', 'STRASSE', 'straße'],
  ['the capital sharp s', 'STRAẞE', 'strasse'],
  ['the final sigma of a word', 'ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς'],
  ['the Turkish i', 'İSTANBUL', 'istanbul'],
  ['the dotless i', 'ısı', 'ISI'],
  ['strokes', 'Øresund Łódź', 'oresund lodz'],
  ['ligatures', 'Ægir ﬁnds Œuvre', 'aegir finds oeuvre'],
  ['different apostrophes', 'L’Été', "l'ete"],
  ['a missing apostrophe', 'Rock’n’Roll', 'rocknroll'],
  ['an acute accent used as an apostrophe', 'O´Neil', 'O’Neil'],
  ['full width', 'ＡＢＣ　１２', 'abc 12'],
  ['different dashes', 'Drum–Bass', 'drum-bass'],
])('a search does not distinguish %s', (_difference, one, other) => {
  expect(searchWords(one)).toEqual(searchWords(other));
});

test.each([
  ['か', 'が'],
  ['बल', 'बिल'],
  ['Bar', 'Bär und Bar'],
])('a search distinguishes %s from %s', (one, other) => {
  expect(foldText(one)).not.toBe(foldText(other));
});

test('folding is idempotent', () => {
  for (const text of ['Straße ΟΔΥΣΣΕΥΣ İ が ﬁ Ŀ ŉ', 'A´b “c”']) expect(foldText(foldText(text))).toBe(foldText(text));
});

test('every word of a search counts, however many there are', () => {
  expect(searchWords(' a b  c d e f g h i j k l ')).toHaveLength(12);
});

test.each(['Ann', '東京', '👨‍👩‍👧', '❤️‍🔥 Night', '葛\u{e0100}城', 'می‌خواهم', '!', 'Ħal Għaxaq', 'क्‍ष'])(
  'people read %s',
  (name) => {
    expect(isVisibleText(name)).toBe(true);
    expect(label.safeParse(name).success).toBe(true);
  },
);

test.each([
  ['a zero-width space', '\u200b'],
  ['a Braille blank', '\u2800'],
  ['a Hangul filler', '\u3164'],
  ['a private character', '\ue000'],
  ['a private character of another plane', '\u{f0000}'],
  ['a combining accent without a letter', '\u0301'],
  ['only spaces', ' \u00a0\u3000'],
  ['a right-to-left override', 'Ann\u202enhoJ'],
  ['a bidi isolate', '\u2066Ann'],
  ['a line separator', 'Ann\u2028Bob'],
  ['a line feed', 'Ann\nBob'],
  ['a zero-width space within', 'An\u200bn'],
  ['a joiner at the end', 'Ann\u200d'],
  ['a joiner alone', '\u200d'],
  ['data in variation selectors', 'A\ufe0f\ufe0f'],
  ['data in tag characters', 'A\u{e0041}\u{e0042}'],
  ['a soft hyphen', 'An\u00adn'],
  ['a lone surrogate', 'Ann\ud800'],
  ['a non-character', 'Ann\uffff'],
  ['the replacement character of corrupt text', 'M\ufffdrz'],
])('a name with %s is refused', (_what, name) => {
  expect(isVisibleText(name)).toBe(false);
  expect(label.safeParse(name).success).toBe(false);
});

test('equal names are equal bytes: surrounding spaces are removed, and letters composed', () => {
  expect(label.parse(' Zu\u0308rich ')).toBe('Zürich');
});
