import type { Database } from '../db/client.ts';
import { deleteOldRecords } from '../queries/idempotency.ts';
import { deleteOldProviderEvents } from '../queries/provider-events.ts';
import { deleteOldSandboxEvents } from '../queries/sandbox-charges.ts';

const ROWS_AT_ONCE = 1_000;

/** Forgets what nobody can ask for any more, in short statements. */
export async function forgetOld(db: Database, signal: AbortSignal) {
  for (const deleteOld of [deleteOldRecords, deleteOldProviderEvents, deleteOldSandboxEvents]) {
    let deleted = ROWS_AT_ONCE;
    while (deleted === ROWS_AT_ONCE && !signal.aborted) deleted = await deleteOld(db, ROWS_AT_ONCE);
  }
}
