import { foldText, type Role, type Tier, type User } from '@minitickets/contract';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { users } from '../db/schema.ts';

/** A user as stored. Responses leave out when the account was made. */
export type Account = User & { createdAt: Date };

const columns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  tier: users.tier,
  createdAt: users.createdAt,
};

/**
 * Inserts an account.
 * @param user.email normalized (`normalizeEmail`); the unique constraint decides between two concurrent registrations
 */
export async function insertUser(
  db: Connection,
  user: { email: string; name: string; passwordHash: string; role?: Role; tier?: Tier; createdAt?: Date },
): Promise<Account> {
  const [row] = await db
    .insert(users)
    .values({ ...user, foldedName: foldText(user.name) })
    .returning(columns);
  if (!row) throw new Error('INSERT returned no row');
  return row;
}

/** Returns the account of a normalized e-mail address (`normalizeEmail`), with its password hash. */
export async function userByEmail(db: Connection, email: string) {
  const [row] = await db
    .select({ ...columns, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email));
  return row;
}

/** Returns the account of a normalized e-mail address, without its password hash. */
export async function findUser(db: Connection, email: string): Promise<Account | undefined> {
  const [row] = await db.select(columns).from(users).where(eq(users.email, email));
  return row;
}

/** @returns undefined if there is no account of this id */
export async function userById(db: Connection, userId: string): Promise<Account | undefined> {
  const [row] = await db.select(columns).from(users).where(eq(users.id, userId));
  return row;
}

/** Returns the password hash of an account, or undefined if there is none of this id. */
export async function passwordHashOf(db: Connection, userId: string): Promise<string | undefined> {
  const [row] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  return row?.passwordHash;
}

/**
 * Stores another password hash, unless the stored one has changed in the meantime (compare-and-set).
 * @returns false if the stored hash is no longer `from`; then nothing changes
 */
export async function replacePasswordHash(db: Connection, userId: string, from: string, to: string) {
  const replaced = await db
    .update(users)
    .set({ passwordHash: to })
    .where(and(eq(users.id, userId), eq(users.passwordHash, from)))
    .returning({ id: users.id });
  return replaced.length === 1;
}

/** @returns the changed account, or undefined if there is none of this id */
export async function setUserTier(db: Connection, userId: string, tier: Tier): Promise<Account | undefined> {
  const [row] = await db.update(users).set({ tier }).where(eq(users.id, userId)).returning(columns);
  return row;
}

/** @returns undefined if there is no account of this id */
export async function tierOfUser(db: Connection, userId: string): Promise<Tier | undefined> {
  const [row] = await db.select({ tier: users.tier }).from(users).where(eq(users.id, userId));
  return row?.tier;
}

/** @returns undefined if there is no account of this id */
export async function roleOfUser(db: Connection, userId: string): Promise<Role | undefined> {
  const [row] = await db.select({ role: users.role }).from(users).where(eq(users.id, userId));
  return row?.role;
}

/** Returns accounts whose name is not folded, because an older version wrote them. */
export async function unfoldedNames(db: Connection, limit: number) {
  return db.select({ id: users.id, name: users.name }).from(users).where(isNull(users.foldedName)).limit(limit);
}

/** Stores the folded names of accounts. */
export async function storeFoldedNames(db: Connection, accounts: readonly { id: string; name: string }[]) {
  const ids = sql.param(accounts.map(({ id }) => id));
  const names = sql.param(accounts.map(({ name }) => foldText(name)));
  await db.execute(sql`
    update users set folded_name = folded.name
    from unnest(${ids}::uuid[], ${names}::text[]) as folded(id, name) where users.id = folded.id`);
}
