import { searchWords } from '@minitickets/contract';
import { type AnyColumn, and, like } from 'drizzle-orm';

/** Matches rows whose text, folded by `foldText`, contains every word of a search. No search matches every row. */
export function containsWords(folded: AnyColumn, search: string | undefined) {
  const words = searchWords(search ?? '');
  return and(...words.map((word) => like(folded, `%${word.replace(/[\\%_]/g, '\\$&')}%`)));
}
