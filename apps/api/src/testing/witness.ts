import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Opens a connection outside the application, for a test that holds a lock and observes the waiters. It closes with its test. */
export async function witnessOf({ databaseUrl }: { databaseUrl: string }) {
  const witness = new pg.Client({ connectionString: databaseUrl, application_name: 'witness' });
  await witness.connect();
  onTestFinished(() => witness.end());
  return witness;
}

/** Returns how many connections to this file's database wait for a lock. */
export async function locksWaitedFor(witness: pg.Client): Promise<number> {
  // Within a transaction, PostgreSQL would go on showing the connections that there were at the first look.
  await witness.query('select pg_stat_clear_snapshot()');
  const { rowCount } = await witness.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}
