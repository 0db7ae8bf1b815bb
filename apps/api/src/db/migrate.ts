import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { requireDatabaseUrl } from '../config.ts';
import { applySessionSettings } from './session-settings.ts';

// The same path from src/db and from dist/db: the SQL files are not compiled.
const migrationsFolder = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));

/** Any number; the same one in every process that migrates. */
const MIGRATION_LOCK = 4_137_001;

/**
 * Brings the database to the newest schema. Several processes may call it at once: one migrates, the others wait up to a
 * minute for it and then find nothing to do.
 */
export async function migrate(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // Without a listener a server that goes away would end the process; the query that it was asked fails all the same.
  client.on('error', () => {});
  await client.connect();
  try {
    // A migration may take as long as it needs; it waits a minute for a lock.
    await applySessionSettings(client, { lockMs: 60_000, statementMs: 0 });
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await applyMigrations(drizzle(client), { migrationsFolder });
  } finally {
    // Ending the session lets the lock go, whatever happened above.
    await client.end();
  }
}

if (import.meta.filename === process.argv[1]) {
  await migrate(requireDatabaseUrl());
  console.log('The database has the newest schema.');
}
