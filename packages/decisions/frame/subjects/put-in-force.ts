import type { Database } from '@minitickets/api/db/client';
import { lockLimits, recordChange, saveOverride } from '@minitickets/api/queries/stored-limits';
import type { LimitChange, LimitTier, PolicyName } from '@minitickets/contract';

export type LimitInForce = { policy: PolicyName; tier: LimitTier; limit: LimitChange };

/** Overrides limits as an operator does, by rows in PostgreSQL; tasks pick them up at start or with their next poll. */
export async function putInForce(db: Database, limits: readonly LimitInForce[], changedBy: string) {
  await db.transaction(async (transaction) => {
    await lockLimits(transaction);
    for (const { policy, tier, limit } of limits) {
      await saveOverride(transaction, policy, tier, limit);
      // The audit record is the new revision, by which tasks notice the change.
      await recordChange(transaction, { policy, tier, changedBy, before: limit, after: limit });
    }
  });
}
