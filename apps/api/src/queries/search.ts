import { searchWords } from '@minitickets/contract';
import { type AnyColumn, and, like } from 'drizzle-orm';

/** Returns a LIKE pattern for each word of a search. */
export const patternsOf = (search = '') => searchWords(search).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);

/** Matches rows whose text, folded by `foldText`, contains every word of a search. No search matches every row. */
export function containsWords(folded: AnyColumn, search: string | undefined) {
  return and(...patternsOf(search).map((pattern) => like(folded, pattern)));
}
