/**
 * Control, format and private-use characters, surrogates, line separators, non-characters, characters without a glyph (Hangul
 * fillers, the Braille blank), and the replacement characters of corrupt text. Joiners and variation selectors have their own
 * rule, because emoji and Persian, Indic and Japanese names need them.
 */
const HIDDEN =
  /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc\ufffd]/u;
/** A joiner must join two characters, and a character has at most one variation selector. */
const STRAY_JOINER =
  /(?:^|[\p{Z}\p{Join_Control}])[\p{Join_Control}\p{Variation_Selector}]|\p{Join_Control}(?:$|\p{Z})|\p{Variation_Selector}\p{Variation_Selector}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The requirement of `isVisibleText`, in words. */
export const VISIBLE_TEXT = 'something to read, without invisible or control characters';

/**
 * Returns whether people see all of a name: it has visible text, and no character that is invisible, changes the text
 * direction (bidi overrides), or depends on one font (private use). Otherwise two names could look alike, or a name could
 * break a log line.
 */
export const isVisibleText = (text: string) => VISIBLE.test(text) && !HIDDEN.test(text) && !STRAY_JOINER.test(text);

/** Latin letters that Unicode does not decompose, with the ASCII that people type for them. */
const PLAIN_LETTERS: Record<string, string> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't', ŋ: 'n', ı: 'i', ə: 'e' },
  // The final sigma is the same letter.
  ς: 'σ',
};
const FOLDED_LETTER = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');
const APOSTROPHES = /['’‘ʼʻ`´＇]/g;

/**
 * Folds text for search: texts that fold alike match. Case, accents, full width and ligatures (NFKD), apostrophes and the
 * kind of dash make no difference: `Zürich` → `zurich`, `Straße` → `strasse`, `L’Été` → `lete`. Accents are Unicode's
 * combining marks U+0300 to U+036F; the marks of other scripts (dakuten, vowel signs) distinguish words.
 */
export function foldText(text: string): string {
  // Before NFKD, which turns an acute accent used as an apostrophe into a space, and again after it, because it decomposes ŉ.
  const decomposed = text.replace(APOSTROPHES, '').normalize('NFKD');
  // Unicode's full case folding, which JavaScript lacks: only upper-casing turns ß into two letters, and ẞ has to be lowered
  // first.
  const folded = decomposed.toLowerCase().toUpperCase().toLowerCase();
  return folded
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(FOLDED_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(APOSTROPHES, '')
    .replace(/\p{Dash_Punctuation}/gu, '-')
    .normalize('NFC');
}

/** Returns the words of a search, folded. */
export const searchWords = (search: string) => foldText(search).split(/\s+/).filter(Boolean);
