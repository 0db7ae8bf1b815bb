import type { ExtractTablesWithRelations } from 'drizzle-orm';
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import pg from 'pg';
import * as schema from './schema.ts';
import { applySessionSettings, type Deadlines } from './session-settings.ts';

// Money and positions are safe integers by their bounds; node-postgres would read a bigint as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool };
export type Transaction = PgTransaction<NodePgQueryResultHKT, typeof schema, ExtractTablesWithRelations<typeof schema>>;
/** What every query takes first: the pool, or the transaction that the caller opened. */
export type Connection = NodePgDatabase<typeof schema> | Transaction;

type DatabaseOptions = {
  url: string;
  /** The connections of the whole task: those of both pools together. At least 2. */
  poolSize: number;
  taskName: string;
  onIdleError: (error: Error) => void;
  deadlines?: Deadlines;
};

/** The client's own deadline is a little longer than the server's: it ends waits on a server that says nothing at all. */
const taskDeadlines: Deadlines = { connectMs: 2_000, lockMs: 3_000, statementMs: 5_000, answerMs: 6_000 };

/** How a task's connections are divided. Reads are the larger part: a booking holds its connection for a few milliseconds. */
const writingConnections = (poolSize: number) => Math.max(1, Math.floor((poolSize * 2) / 5));

/**
 * Opens the general pool of one task. Every wait has a deadline: for a connection (2 s), for a statement (5 s), for a lock
 * (3 s), for any answer at all (6 s); and the server ends a transaction that its owner forgot (10 s).
 */
export function openDatabase({ poolSize, ...options }: DatabaseOptions) {
  const pool = openPool({ ...options, max: Math.max(1, poolSize - writingConnections(poolSize)) });
  return { db: drizzle(pool, { schema }), pool };
}

/**
 * Opens the few connections that bookings are written on (a bulkhead): a crowd at one event takes no connection from people
 * who read. Each statement is planned once, for an index: PostgreSQL would otherwise plan it every time, at three times the
 * cost of running it, or keep a plan that it made when the tables were empty.
 */
export function openWritingPool({ poolSize, ...options }: DatabaseOptions) {
  return openPool({
    ...options,
    max: writingConnections(poolSize),
    settings: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
  });
}

type PoolOptions = Omit<DatabaseOptions, 'poolSize'> & { max: number; settings?: Record<string, string> };

function openPool({ url, max, taskName, onIdleError, deadlines = taskDeadlines, settings }: PoolOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: `minitickets ${taskName}`,
    connectionTimeoutMillis: deadlines.connectMs,
    query_timeout: deadlines.answerMs,
    keepAlive: true,
    onConnect: (client) => applySessionSettings(client, deadlines, settings),
  });
  // Without a listener an idle connection that breaks (a database restart) would end the process.
  pool.on('error', onIdleError);
  // The pool does not listen to a connection that is in use; its holder hears of the break from the failed query.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Wraps one client of a pool as a connection, for a transaction that sends prepared statements. */
export function connectionOf(client: pg.PoolClient): Connection {
  return drizzle(client, { schema });
}
