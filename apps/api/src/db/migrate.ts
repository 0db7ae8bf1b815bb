import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { requireDatabaseUrl } from '../config.ts';
import { applySessionSettings } from './session-settings.ts';

// This path works from src/db and from dist/db: SQL files are not compiled.
const migrationsFolder = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));

/** The advisory lock of migrations. The number is arbitrary. */
const MIGRATION_LOCK = 4_137_001;

/**
 * Migrates the database to the newest schema. Safe to call concurrently: one process migrates, the others wait up to a minute
 * for it and then find nothing to do.
 */
export async function migrate(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // Without a listener, a lost connection would crash the process. The query in flight fails either way.
  client.on('error', () => {});
  await client.connect();
  try {
    // A migration runs as long as it needs, but waits at most a minute for a lock.
    await applySessionSettings(client, { lockMs: 60_000, statementMs: 0 });
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await applyMigrations(drizzle(client), { migrationsFolder });
  } finally {
    // Ending the session releases the lock, whatever happened above.
    await client.end();
  }
}

if (import.meta.filename === process.argv[1]) {
  await migrate(requireDatabaseUrl());
  console.log('The database schema is up to date.');
}
