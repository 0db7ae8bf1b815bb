import type { Tier } from '@minitickets/contract';
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Connection, Transaction } from '../db/client.ts';
import { apiKeys, users } from '../db/schema.ts';
import { NEW_ACCOUNT_MS } from '../rules/limits.ts';
import type { SessionUser } from './sessions.ts';

export type ApiKeyRow = { id: string; name: string; prefix: string; createdAt: Date; tier: Tier | null };

/**
 * Serialises the creation of a user's keys until the transaction ends, so that counting them and adding one is not a
 * check-then-act race.
 */
export async function lockApiKeysOf(db: Transaction, userId: string) {
  await db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
}

export async function insertApiKey(
  db: Connection,
  key: { userId: string; name: string; prefix: string; keyHash: string },
): Promise<ApiKeyRow> {
  const [row] = await db.insert(apiKeys).values(key).returning(apiKeyColumns);
  if (!row) throw new Error('INSERT returned no row');
  return row;
}

/** Returns a user's active keys, newest first. */
export async function apiKeysOf(db: Connection, userId: string): Promise<ApiKeyRow[]> {
  return db
    .select(apiKeyColumns)
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
}

/** @returns false if the user has no such key */
export async function revokeApiKey(db: Connection, userId: string, id: string) {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length === 1;
}

/** Revokes every API key of a user. */
export async function revokeApiKeysOf(db: Connection, userId: string) {
  await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)));
}

/** An active key, with the tier that was given to it alone, and its user. */
export type ApiKeyOwner = { key: { id: string; tier: Tier | null }; user: SessionUser };

/** Returns the active key with this hash and its user. */
export async function apiKeyByHash(db: Connection, keyHash: string): Promise<ApiKeyOwner | undefined> {
  return activeKey(db, eq(apiKeys.keyHash, keyHash));
}

/** Returns an active key and its user, by the key's id. */
export async function apiKeyById(db: Connection, id: string): Promise<ApiKeyOwner | undefined> {
  return activeKey(db, eq(apiKeys.id, id));
}

async function activeKey(db: Connection, which: SQL) {
  const [row] = await db
    .select({
      key: { id: apiKeys.id, tier: apiKeys.tier },
      user: {
        id: users.id,
        role: users.role,
        tier: users.tier,
        isNew: sql<boolean>`${users.createdAt} > now() - make_interval(secs => ${NEW_ACCOUNT_MS / 1000})`,
      },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(which, isNull(apiKeys.revokedAt)));
  return row;
}

export const apiKeyColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  createdAt: apiKeys.createdAt,
  tier: apiKeys.tier,
};
