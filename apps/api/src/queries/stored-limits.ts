import { type LimitChange, limitChange, shippedTier, tierChange } from '@minitickets/contract';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Connection, Transaction } from '../db/client.ts';
import { identityLimits, limitChanges, limitOverrides, tiers } from '../db/schema.ts';
import type { StoredLimits } from '../rules/limit-table.ts';

/**
 * Returns what operators have changed about the limits, and its revision: the number of the last change. One statement reads
 * everything from one snapshot. A row that is not a valid limit (written by hand) is skipped: the limit beneath it stays in force.
 * @param known a revision; if it is still the last one, the tables are not read and the result is undefined
 */
export async function readLimits(db: Connection, known?: number): Promise<StoredLimits | undefined> {
  const all = (table: typeof tiers | typeof limitOverrides | typeof identityLimits) =>
    sql`(select coalesce(json_agg(to_json(${table}) order by ${table}), '[]') from ${table})`;
  const { rows } = await db.execute<StoredRows>(sql`
    select revision, ${all(tiers)} as tiers, ${all(limitOverrides)} as overrides, ${all(identityLimits)} as identities
    from (select coalesce(max(${limitChanges.id}), 0)::float8 as revision from ${limitChanges}) as last
    where revision <> ${known ?? -1}::float8`);
  const [row] = rows;
  if (!row) return undefined;
  return {
    revision: row.revision,
    tiers: row.tiers.flatMap(({ name, based_on: basedOn }) => {
      const read = tierChange.safeParse({ basedOn });
      return read.success && !isShipped(name) ? [{ name, ...read.data }] : [];
    }),
    overrides: row.overrides.flatMap((stored) =>
      numbersIn(stored).map((numbers) => ({ policy: stored.policy, tier: stored.tier, ...numbers })),
    ),
    identities: row.identities.flatMap((stored) =>
      numbersIn(stored).map((numbers) => ({ policy: stored.policy, identity: stored.identity, ...numbers })),
    ),
  };
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

/** Restores the limit beneath an override. */
export async function deleteOverride(db: Transaction, policy: string, tier: string) {
  await db.delete(limitOverrides).where(and(eq(limitOverrides.policy, policy), eq(limitOverrides.tier, tier)));
}

export async function deleteOverridesOf(db: Transaction, tier: string) {
  await db.delete(limitOverrides).where(eq(limitOverrides.tier, tier));
}

export async function saveIdentityLimit(db: Transaction, policy: string, identity: string, change: LimitChange) {
  await db
    .insert(identityLimits)
    .values({ policy, identity, ...change })
    .onConflictDoUpdate({
      target: [identityLimits.policy, identityLimits.identity],
      set: { ...change, updatedAt: sql`now()` },
    });
}

export async function deleteIdentityLimit(db: Transaction, policy: string, identity: string) {
  await db.delete(identityLimits).where(and(eq(identityLimits.policy, policy), eq(identityLimits.identity, identity)));
}

/** Records who changed what; see `limitChanges` for what a row names. The record is the new revision. */
export async function recordChange(db: Transaction, change: typeof limitChanges.$inferInsert) {
  await db.insert(limitChanges).values(change);
}

/** Returns changes of limits and tiers, newest first: `limit + 1` rows. */
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

/** Rows as `to_json` writes them, under the names of the columns. */
type StoredRows = {
  revision: number;
  tiers: { name: string; based_on: unknown }[];
  overrides: (NumbersRow & { policy: string; tier: string })[];
  identities: (NumbersRow & { policy: string; identity: string })[];
};
type NumbersRow = Record<
  'capacity' | 'refill_tokens' | 'refill_interval_ms' | 'on_store_failure' | 'suppression' | 'shadow',
  unknown
>;

function numbersIn(row: NumbersRow): LimitChange[] {
  const read = limitChange.safeParse({
    capacity: row.capacity,
    refillTokens: row.refill_tokens,
    refillIntervalMs: row.refill_interval_ms,
    onStoreFailure: row.on_store_failure,
    suppression: row.suppression,
    shadow: row.shadow,
  });
  return read.success ? [read.data] : [];
}

const isShipped = (name: string) => shippedTier.safeParse(name).success;
