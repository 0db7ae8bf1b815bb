import type { ClientBase, QueryConfig } from 'pg';

/** Deadlines for each kind of wait on PostgreSQL, in milliseconds. */
export type Deadlines = { connectMs: number; lockMs: number; statementMs: number; answerMs: number };

/**
 * Server settings that our statements depend on, whatever the defaults of server, database or role: formats of dates and
 * numbers, name resolution, transaction isolation.
 */
const meaning = {
  search_path: 'public, pg_temp',
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // The pool closes idle connections itself. A server that closed one just as it was taken would fail that request.
  idle_session_timeout: '0',
  // Since PostgreSQL 17. Statements, locks and idle transactions have their own deadlines.
  transaction_timeout: '0',
};

/** The server ends an abandoned transaction after this long. */
const IDLE_TRANSACTION_MS = 10_000;
/** Bounds the statement below, which waits for nothing. */
const SETTINGS_DEADLINE_MS = 1_000;

/**
 * Sets everything that a connection's statements depend on, and its deadlines, in one round trip. Call it once on a new
 * connection. It is a statement instead of start-up parameters, because PgBouncer rejects unknown start-up parameters. Behind
 * PgBouncer in transaction mode the same settings have to be defaults of the role.
 *
 * `default_transaction_read_only` and `synchronous_commit` are the operator's decision and stay unchanged.
 */
export async function applySessionSettings(
  client: ClientBase,
  { lockMs, statementMs }: Pick<Deadlines, 'lockMs' | 'statementMs'>,
  more: Record<string, string> = {},
) {
  const settings = {
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_MS),
    ...meaning,
    ...more,
  };
  const query: QueryConfig & { query_timeout: number } = {
    // current_setting returns null for a setting that this PostgreSQL version does not have.
    text: `select pg_catalog.set_config(key, value, false) from pg_catalog.json_each_text($1)
      where pg_catalog.current_setting(key, true) is not null`,
    values: [JSON.stringify(settings)],
    query_timeout: SETTINGS_DEADLINE_MS,
  };
  await client.query(query);
}
