import { id, instant } from '@minitickets/contract';
import { z } from 'zod';
import { fail } from '../errors.ts';

/** The end of a page: the timestamp that the list is ordered by, and the id as tie-breaker. */
export type PageCursor = { at: string; id: string };

// Only UTC, as `encodeCursor` writes it: PostgreSQL accepts fewer offsets than ISO 8601 has.
const position = z.tuple([instant.endsWith('Z'), id]);

/** Returns an opaque cursor for keyset pagination: rows added meanwhile neither repeat nor hide others. */
export function encodeCursor({ at, id }: PageCursor) {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

/** Splits `size + 1` rows into a page and the cursor of the next page, if there is one. */
export function pageFrom<Row>(rows: Row[], size: number, endOf: (row: Row) => { at: Date; id: string }) {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  if (!last || rows.length <= size) return { shown, nextCursor: null };
  const { at, id } = endOf(last);
  return { shown, nextCursor: encodeCursor({ at: at.toISOString(), id }) };
}

/** @throws TicketingError not-valid for anything that `encodeCursor` did not make */
export function decodeCursor(cursor: string): PageCursor {
  try {
    const [at, id] = position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { at, id };
  } catch {
    return fail({ kind: 'not-valid', path: 'querystring/cursor', message: 'not a cursor of this list' });
  }
}
