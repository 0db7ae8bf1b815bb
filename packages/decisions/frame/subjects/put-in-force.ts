import type { Database } from '@minitickets/api/db/client';
import { lockLimits, recordChange, saveOverride } from '@minitickets/api/queries/limit-overrides';
import type { LimitChange, LimitTier, PolicyName } from '@minitickets/contract';

export type LimitInForce = { policy: PolicyName; tier: LimitTier; limit: LimitChange };

/** Puts limits in force as operators do, as rows of PostgreSQL: a task that is opened afterwards, or looks again, has them. */
export async function putInForce(db: Database, limits: readonly LimitInForce[], changedBy: string) {
  await db.transaction(async (transaction) => {
    await lockLimits(transaction);
    for (const { policy, tier, limit } of limits) {
      await saveOverride(transaction, policy, tier, limit);
      // The record makes the revision by which tasks see that there is something new.
      await recordChange(transaction, { policy, tier, changedBy, before: limit, after: limit });
    }
  });
}
