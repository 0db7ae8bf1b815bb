import type { Database } from '../db/client.ts';
import { deleteOldRecords } from '../queries/idempotency.ts';
import { deleteOldLoginFailures } from '../queries/login-failures.ts';
import { deleteOldProviderEvents } from '../queries/provider-events.ts';
import { deleteOldSandboxEvents } from '../queries/sandbox-charges.ts';

const MAX_ROWS_PER_STATEMENT = 1_000;

/** Deletes rows that have passed their retention, in short statements. */
export async function forgetOld(db: Database, signal: AbortSignal) {
  for (const deleteOld of [deleteOldRecords, deleteOldProviderEvents, deleteOldSandboxEvents, deleteOldLoginFailures]) {
    let deleted = MAX_ROWS_PER_STATEMENT;
    while (deleted === MAX_ROWS_PER_STATEMENT && !signal.aborted) deleted = await deleteOld(db, MAX_ROWS_PER_STATEMENT);
  }
}
