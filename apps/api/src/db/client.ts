import type { ExtractTablesWithRelations } from 'drizzle-orm';
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import pg from 'pg';
import * as schema from './schema.ts';

export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool };
export type Transaction = PgTransaction<NodePgQueryResultHKT, typeof schema, ExtractTablesWithRelations<typeof schema>>;
/** What every query takes first: the pool, or the transaction that the caller opened. */
export type Connection = NodePgDatabase<typeof schema> | Transaction;

type DatabaseOptions = { url: string; poolSize: number; taskName: string; onIdleError: (error: Error) => void };

/**
 * Opens the pool of one task. Nothing waits for ever: not for a connection (2 s), not for a statement (5 s), not for a
 * lock (3 s), and a transaction that its owner forgot is ended by the server (10 s).
 */
export function openDatabase(options: DatabaseOptions) {
  const pool = openPool(options);
  return { db: drizzle(pool, { schema }), pool };
}

/**
 * Opens the few connections that bookings are written on. They are apart so that a crowd at one event takes no connection
 * from people who read; and each statement is planned once, for an index: PostgreSQL would plan these anew every time, at
 * three times the cost of running them, or keep a plan that it made when the tables were empty.
 */
export function openWritingPool({ poolSize, ...options }: DatabaseOptions) {
  return openPool({
    ...options,
    poolSize: Math.max(1, Math.floor(poolSize / 2)),
    settings: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  });
}

function openPool({ url, poolSize, taskName, onIdleError, settings }: DatabaseOptions & { settings?: string }) {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: `minitickets ${taskName}`,
    connectionTimeoutMillis: 2_000,
    // The client's own deadline stands a little behind the server's: it ends waits on a server that says nothing at all.
    query_timeout: 6_000,
    statement_timeout: 5_000,
    lock_timeout: 3_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    ...(settings && { options: settings }),
  });
  // Without a listener an idle connection that breaks (a database restart) would end the process.
  pool.on('error', onIdleError);
  // Nor may one that breaks in somebody's hands: the pool does not listen then, and its holder hears from the failed query.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** One client of the pool as a connection, for a transaction that talks to PostgreSQL in prepared statements. */
export function connectionOf(client: pg.PoolClient): Connection {
  return drizzle(client, { schema });
}
