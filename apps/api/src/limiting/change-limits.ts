import type { FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../db/client.ts';
import { afterCommit } from '../db/failures.ts';
import { lockLimits, readLimits, recordChange } from '../queries/stored-limits.ts';
import type { StoredLimits } from '../rules/limit-table.ts';

/** A change as the history records it; see the table `limit_changes`. */
export type RecordedChange = {
  policy?: string;
  tier?: string;
  identity?: string;
  before: object | null;
  after: object | null;
};

/**
 * Changes the limits, and records it, in one transaction that is serialised with all other changes: what it reads stays true until
 * it is written. When it returns, this task enforces the change; the others do within two seconds.
 * @param write gets what is stored before; returns its result and the change, or null if nothing changed
 */
export async function changeLimits<Result>(
  request: FastifyRequest,
  { db, changedBy }: { db: Database; changedBy: string },
  write: (tx: Transaction, stored: StoredLimits) => Promise<{ result: Result; change: RecordedChange | null }>,
): Promise<Result> {
  const { result, change } = await db.transaction(async (tx) => {
    await lockLimits(tx);
    const stored = await readLimits(tx);
    if (!stored) throw new Error('SELECT returned no limits');
    const written = await write(tx, stored);
    if (written.change) await recordChange(tx, { ...written.change, changedBy });
    return written;
  });
  await afterCommit(request.server.limiter.refreshLimits());
  if (change) request.log.info({ ...change, changedBy }, 'the limits were changed');
  return result;
}
