import type { ExtractTablesWithRelations } from 'drizzle-orm';
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { failBeforeCommit, failCommit, isSilence } from './postgres-failures.ts';
import * as schema from './schema.ts';
import { applySessionSettings, type Deadlines } from './session-settings.ts';

// Amounts and positions are bounded to safe integers; by default node-postgres returns a bigint as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool };
export type Transaction = PgTransaction<NodePgQueryResultHKT, typeof schema, ExtractTablesWithRelations<typeof schema>>;
/** The first parameter of every query: the pool, or the transaction that the caller opened. */
export type Connection = NodePgDatabase<typeof schema> | Transaction;

type DatabaseOptions = {
  url: string;
  /** Connections of the whole task, both pools together. At least 2. */
  poolSize: number;
  taskName: string;
  onIdleError: (error: Error) => void;
  deadlines?: Deadlines;
};

/** The client's deadline is slightly longer than the server's: it ends waits on a server that is silent. */
const taskDeadlines: Deadlines = { connectMs: 2_000, lockMs: 3_000, statementMs: 3_500, answerMs: 4_000 };

/** Splits a task's connections. Reads get the larger part: a booking uses its connection for a few milliseconds. */
const writingConnections = (poolSize: number) => Math.max(1, Math.floor((poolSize * 2) / 5));

/**
 * Opens a task's general pool. Every wait has a deadline: for a connection 2 s, a lock 3 s, a statement 3.5 s, any reply 4 s.
 * The server ends an abandoned transaction after 10 s.
 */
export function openDatabase({ poolSize, ...options }: DatabaseOptions) {
  const pool = openPool({ ...options, max: Math.max(1, poolSize - writingConnections(poolSize)) });
  const db = drizzle(pool, { schema });
  // drizzle's own never returns the connection to the pool if BEGIN fails, so a silent server would use up the pool for good;
  // and it does not tell a transaction that wrote nothing from one whose COMMIT got no answer.
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    let isCommitting = false;
    const workThenCommit: typeof work = async (transaction) => {
      const result = await work(transaction);
      isCommitting = true;
      return result;
    };
    try {
      return await connectionOf(client).transaction(workThenCommit, config);
    } catch (error) {
      return isCommitting ? failCommit(error) : failBeforeCommit(error);
    } finally {
      client.release();
    }
  };
  return { db, pool };
}

/**
 * Opens the separate pool for bookings (a bulkhead): a crowd at one event takes no connections from readers. Each statement
 * gets a generic plan once, on an index. PostgreSQL would otherwise plan it every time, at three times the cost of running
 * it, or keep a plan from when the tables were empty.
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
    Client: PromptClient,
    connectionString: url,
    max,
    application_name: `minitickets ${taskName}`,
    connectionTimeoutMillis: deadlines.connectMs,
    query_timeout: deadlines.answerMs,
    keepAlive: true,
    onConnect: (client) => applySessionSettings(client, deadlines, settings),
  });
  // Without a listener, a broken idle connection (a database restart) would crash the process.
  pool.on('error', onIdleError);
  // The pool has no listener on a connection in use; its holder learns of the failure from the query.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Closes its connection after the first reply that is too late. Whatever is sent on it next, such as ROLLBACK, would wait as long
 * again; now it fails at once, and the pool replaces the connection.
 */
class PromptClient extends pg.Client {
  constructor(...options: ConstructorParameters<typeof pg.Client>) {
    super(...options);
    const query = this.query.bind(this) as (...request: unknown[]) => unknown;
    this.query = (...request: unknown[]) => {
      const reply = query(...request);
      if (reply instanceof Promise) {
        reply.catch((error: unknown) => {
          if (isSilence(error)) this.end().catch(() => {});
        });
      }
      return reply as never;
    };
  }
}

/**
 * Runs on one client of the pool. An error from PostgreSQL is rolled back; after any other error the connection is closed, which
 * ends the transaction too.
 */
export async function withClient<Result>(pool: pg.Pool, run: (client: pg.PoolClient) => Promise<Result>) {
  const client = await pool.connect();
  try {
    const result = await run(client);
    client.release();
    return result;
  } catch (error) {
    if (error instanceof pg.DatabaseError) await client.query('rollback').then(() => client.release(), client.release);
    else client.release(true);
    throw error;
  }
}

/** Wraps a pool client as a connection, for a transaction that sends prepared statements. */
export function connectionOf(client: pg.PoolClient): Connection {
  return drizzle(client, { schema });
}
