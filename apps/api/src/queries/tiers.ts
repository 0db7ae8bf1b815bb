import type { ShippedTier } from '@minitickets/contract';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Connection, Transaction } from '../db/client.ts';
import { apiKeys, tiers, users } from '../db/schema.ts';
import { type ApiKeyRow, apiKeyColumns } from './api-keys.ts';

/** Returns the tiers in the order in which they were added. There are few: `MAX_TIERS`. */
export async function listTiers(db: Connection) {
  return db.select({ name: tiers.name, basedOn: tiers.basedOn }).from(tiers).orderBy(tiers.createdAt, tiers.name);
}

export async function saveTier(db: Transaction, name: string, basedOn: ShippedTier) {
  await db.insert(tiers).values({ name, basedOn }).onConflictDoUpdate({ target: tiers.name, set: { basedOn } });
}

/**
 * Removes a tier from the keys that were revoked with it. They never act again, and must not keep it alive.
 */
export async function clearTierOfRevokedKeys(db: Transaction, name: string) {
  await db
    .update(apiKeys)
    .set({ tier: null })
    .where(and(eq(apiKeys.tier, name), sql`${apiKeys.revokedAt} is not null`));
}

/** @returns false if a user or an API key has the tier; the foreign keys decide against one that is being given it */
export async function deleteTier(db: Transaction, name: string) {
  const used = sql`exists (select from ${users} where ${users.tier} = ${tiers.name})
    or exists (select from ${apiKeys} where ${apiKeys.tier} = ${tiers.name})`;
  const deleted = await db
    .delete(tiers)
    .where(and(eq(tiers.name, name), sql`not (${used})`))
    .returning({ name: tiers.name });
  return deleted.length === 1;
}

/** @returns the changed key, or undefined if the user has no such active key */
export async function setApiKeyTier(
  db: Connection,
  { userId, id, tier }: { userId: string; id: string; tier: string | null },
): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .update(apiKeys)
    .set({ tier })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .returning(apiKeyColumns);
  return row;
}
