import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import type { Failure } from '../errors.ts';

const down = (condition: string): Failure => ({ kind: 'store-unavailable', store: 'PostgreSQL', condition });
const busy: Failure = { kind: 'busy', what: 'the database' };
const noAnswer = down('is not responding');

/**
 * The errors of PostgreSQL that are no fault of ours, by the beginning of their SQLSTATE; the longest one counts.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const meanings: Record<string, Failure> = {
  // Connection exceptions.
  '08': noAnswer,
  // In recovery, a replica after a failover, or read-only by its operator's decision.
  '25006': down('takes no writes'),
  // A transaction that was left open, or took too long, and was ended.
  '25P03': busy,
  '25P04': busy,
  // A password that is being changed, a role without the right to connect, a database that is being restored, a missing grant.
  '28': down('does not let this task in'),
  '3D000': down('does not let this task in'),
  '42501': down('does not permit this'),
  // Serialisation failure, and a transaction whose outcome is unknown, and a deadlock.
  '40001': busy,
  '40003': noAnswer,
  '40P01': busy,
  // Insufficient resources.
  '53': down('is out of resources'),
  '53100': down('is out of disk space'),
  '53200': down('is out of memory'),
  '53300': down('has no connection left'),
  // A database or an object that is not in the state which the statement needs: no connections are allowed now, or it is in use.
  '55000': down('takes no connections'),
  '55006': down('takes no connections'),
  // A lock or a statement that took longer than its deadline.
  '55P03': busy,
  '57014': busy,
  // Shutting down, crashed, starting up, dropped.
  '57P': down('is starting or stopping'),
  // An error outside of PostgreSQL: its disk, its files.
  '58': down('reports an error of its system'),
  // Text that PostgreSQL cannot hold: a NUL character, half a surrogate pair.
  '22021': { kind: 'not-valid', path: '', message: 'text with characters that cannot be stored' },
  '22P05': { kind: 'not-valid', path: '', message: 'text with characters that cannot be stored' },
};

/** Errors of node-postgres and its pool, which have no codes for them. */
const CONNECTION_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|.*Cannot use a pool after calling end)/;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Returns what an error of PostgreSQL means to a caller, or null if it is a fault of ours. */
export function postgresFailure(error: unknown): Failure | null {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(cause instanceof Error)) return null;
  if (cause instanceof pg.DatabaseError) {
    // The row names its writer, whose account was deleted. drizzle names all foreign keys to users so, and we delete no users.
    if (cause.code === '23503' && cause.constraint?.endsWith('_users_id_fk')) return { kind: 'account-gone' };
    const code = cause.code ?? '';
    return meanings[code] ?? meanings[code.slice(0, 3)] ?? meanings[code.slice(0, 2)] ?? null;
  }
  const network = 'code' in cause && NETWORK_CODES.has(String(cause.code));
  return network || CONNECTION_MESSAGES.test(cause.message) ? noAnswer : null;
}

/** True if the error is PostgreSQL's refusal to break this unique constraint. */
export function violates(error: unknown, constraint: string) {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === '23505' && cause.constraint === constraint;
}
