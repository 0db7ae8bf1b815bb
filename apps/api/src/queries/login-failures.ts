import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

/** NIST SP 800-63B, section 5.2.2: no more than 100 consecutive failed attempts on a single account. */
export const MAX_CONSECUTIVE_FAILURES = 100;

/**
 * Counts an attempt as failed, before its password is verified: concurrent attempts cannot all pass because none has failed yet.
 * @param identity a keyed hash
 * @param email of the account, in its one spelling; there may be none
 * @returns false if the cap is reached; then nothing is counted
 */
export async function countLoginFailure(db: Connection, identity: string, email: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into login_failures as known (identity, user_id, failures)
    values (${identity}, (select id from users where email = ${email}), 1)
    on conflict (identity) do update
      set failures = known.failures + 1, user_id = excluded.user_id, last_at = now()
      where known.failures < ${MAX_CONSECUTIVE_FAILURES}`);
  return rowCount === 1;
}

/** Takes back the count of an attempt whose password was never verified. The first failure keeps its row, which counts from 1. */
export async function uncountLoginFailure(db: Connection, identity: string) {
  await db.execute(sql`
    update login_failures set failures = failures - 1 where identity = ${identity} and failures > 1`);
}

/** Forgets the failures of these identities, because a log-in succeeded. */
export async function resetLoginFailures(db: Connection, identities: readonly string[]) {
  const list = sql.join(
    identities.map((identity) => sql`${identity}`),
    sql`, `,
  );
  await db.execute(sql`delete from login_failures where identity in (${list})`);
}

/** Forgets the failures of an account and of all its known devices. @param identity the account's */
export async function resetLoginFailuresOfUser(db: Connection, userId: string, identity: string) {
  await db.execute(sql`delete from login_failures where user_id = ${userId} or identity = ${identity}`);
}

/** Forgets attempts at accounts that do not exist, a day after the last one. @returns how many rows were deleted */
export async function deleteOldLoginFailures(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from login_failures where identity in (
      select identity from login_failures
      where user_id is null and last_at < statement_timestamp() - interval '1 day' limit ${limit})`);
  return rowCount ?? 0;
}
