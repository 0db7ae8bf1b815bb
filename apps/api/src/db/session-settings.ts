import type { ClientBase, QueryConfig } from 'pg';

/** How long each kind of wait on PostgreSQL may last, in milliseconds. */
export type Deadlines = { connectMs: number; lockMs: number; statementMs: number; answerMs: number };

/**
 * Server settings that decide what our statements mean, whatever the server, database or role has as its default: the text of
 * dates and numbers, the schema that a name belongs to, the isolation of a transaction.
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
  // The pool ends idle connections. A server that ended one just as it is taken would fail that request.
  idle_session_timeout: '0',
  // Since PostgreSQL 17. Statements, locks and idle transactions have deadlines of their own.
  transaction_timeout: '0',
};

/** A transaction that its owner forgot is ended by the server after this time. */
const IDLE_TRANSACTION_MS = 10_000;
/** Bounds the one statement below; it waits for nothing. */
const SETTINGS_DEADLINE_MS = 1_000;

/**
 * Sets everything that the meaning of a connection's statements depends on, and its deadlines, in one round trip. Call it
 * once, on a new connection. This is a statement and not the start-up packet, because PgBouncer refuses start-up parameters
 * that it does not know. Behind PgBouncer in transaction mode the same settings have to be defaults of the role.
 *
 * `default_transaction_read_only` and `synchronous_commit` stay as they are: they are the operator's decision.
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
    // current_setting is null for a setting that this version of PostgreSQL does not have.
    text: `select pg_catalog.set_config(key, value, false) from pg_catalog.json_each_text($1)
      where pg_catalog.current_setting(key, true) is not null`,
    values: [JSON.stringify(settings)],
    query_timeout: SETTINGS_DEADLINE_MS,
  };
  await client.query(query);
}
