import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Connection, Transaction } from '../db/client.ts';
import { apiKeys, users } from '../db/schema.ts';
import { NEW_ACCOUNT_MS } from '../rules/limits.ts';
import type { SessionUser } from './sessions.ts';

export type ApiKeyRow = { id: string; name: string; prefix: string; createdAt: Date };

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
  const [row] = await db.insert(apiKeys).values(key).returning(columns);
  if (!row) throw new Error('INSERT returned no row');
  return row;
}

/** Returns a user's active keys, newest first. */
export async function apiKeysOf(db: Connection, userId: string): Promise<ApiKeyRow[]> {
  return db
    .select(columns)
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

/** Returns the owner of the active key with this hash. */
export async function userByApiKeyHash(
  db: Connection,
  keyHash: string,
): Promise<{ apiKeyId: string; user: SessionUser } | undefined> {
  const [row] = await db
    .select({
      apiKeyId: apiKeys.id,
      user: {
        id: users.id,
        role: users.role,
        tier: users.tier,
        isNew: sql<boolean>`${users.createdAt} > now() - make_interval(secs => ${NEW_ACCOUNT_MS / 1000})`,
      },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.keyHash, keyHash), isNull(apiKeys.revokedAt)));
  return row;
}

const columns = { id: apiKeys.id, name: apiKeys.name, prefix: apiKeys.prefix, createdAt: apiKeys.createdAt };
