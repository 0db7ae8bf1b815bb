import { type LimitChange, limitChange } from '@minitickets/contract';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Connection, Transaction } from '../db/client.ts';
import { limitChanges, limitOverrides } from '../db/schema.ts';
import type { LimitOverride } from '../rules/limit-table.ts';

/**
 * Returns the overrides of the shipped limits and their revision, the number of the last change. One statement reads both
 * from one snapshot. A row that is not a valid limit (written by hand) is skipped: the shipped limit stays in force.
 */
export async function readOverrides(db: Connection): Promise<{ overrides: LimitOverride[]; revision: number }> {
  const rows = await db
    .select({
      ...columns,
      policy: limitOverrides.policy,
      tier: limitOverrides.tier,
      revision: sql<number>`(select coalesce(max(${limitChanges.id}), 0)::float8 from ${limitChanges})`,
    })
    .from(sql`(select 1) as always`)
    .leftJoin(limitOverrides, sql`true`);
  const overrides = rows.flatMap(({ policy, tier, revision: _, ...numbers }) => {
    const change = limitChange.safeParse(numbers);
    return policy && tier && change.success ? [{ policy, tier, ...change.data }] : [];
  });
  return { overrides, revision: rows[0]?.revision ?? 0 };
}

/** Serialises changes of limits until the transaction ends, so that the highest revision is also the last change. */
export async function lockLimits(db: Transaction) {
  await db.execute(sql`select pg_advisory_xact_lock(${LIMITS_LOCK})`);
}

export async function saveOverride(db: Transaction, policy: string, tier: string, change: LimitChange) {
  await db
    .insert(limitOverrides)
    .values({ policy, tier, ...change })
    .onConflictDoUpdate({
      target: [limitOverrides.policy, limitOverrides.tier],
      set: { ...change, updatedAt: sql`now()` },
    });
}

/** Restores the shipped limit. */
export async function deleteOverride(db: Transaction, policy: string, tier: string) {
  await db.delete(limitOverrides).where(and(eq(limitOverrides.policy, policy), eq(limitOverrides.tier, tier)));
}

/** Records who changed a limit from what to what. */
export async function recordChange(
  db: Transaction,
  change: { policy: string; tier: string; changedBy: string; before: LimitChange; after: LimitChange },
) {
  await db.insert(limitChanges).values(change);
}

/** Returns changes of limits, newest first: `limit + 1` rows. */
export async function changesOfLimits(
  db: Connection,
  { limit, before }: { limit: number; before?: number | undefined },
) {
  return db
    .select()
    .from(limitChanges)
    .where(before === undefined ? undefined : lt(limitChanges.id, before))
    .orderBy(desc(limitChanges.id))
    .limit(limit + 1);
}

/** The advisory lock of limit changes. The number is arbitrary. */
const LIMITS_LOCK = 4_137_002;

const columns = {
  capacity: limitOverrides.capacity,
  refillTokens: limitOverrides.refillTokens,
  refillIntervalMs: limitOverrides.refillIntervalMs,
  onStoreFailure: limitOverrides.onStoreFailure,
  suppression: limitOverrides.suppression,
  shadow: limitOverrides.shadow,
};
