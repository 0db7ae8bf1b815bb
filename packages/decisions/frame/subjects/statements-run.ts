import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';

/** Returns how often the prepared statements of a connection have run, as PostgreSQL counts it. The pool must have one connection. */
export async function statementsRun(db: Database) {
  const { rows } = await db.execute<{ runs: number }>(
    sql`select coalesce(sum(generic_plans + custom_plans), 0)::int as runs from pg_prepared_statements`,
  );
  return rows[0]?.runs ?? Number.NaN;
}
