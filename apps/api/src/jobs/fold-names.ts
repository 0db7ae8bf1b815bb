import type { Database } from '../db/client.ts';
import { storeFoldedNames, unfoldedNames } from '../queries/users.ts';

const MAX_ROWS_PER_STATEMENT = 1_000;

/**
 * Folds the names of accounts that an older version wrote, before the deploy or during it (expand and contract). Here and not in
 * the migration, because SQL has no `foldText`, and names that fold otherwise than searches are never found.
 */
export async function foldNames(db: Database, signal: AbortSignal) {
  let count = MAX_ROWS_PER_STATEMENT;
  while (count === MAX_ROWS_PER_STATEMENT && !signal.aborted) {
    const accounts = await unfoldedNames(db, MAX_ROWS_PER_STATEMENT);
    count = accounts.length;
    if (count > 0) await storeFoldedNames(db, accounts);
  }
}
