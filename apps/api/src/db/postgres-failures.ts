import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import type { Failure } from '../errors.ts';

/** Of node-postgres and its pool, which have no codes for them. */
const CONNECTION_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|.*Cannot use a pool after calling end)/;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/**
 * What an error of PostgreSQL means to a caller, or null if it is a fault of ours.
 * SQLSTATE classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function postgresFailure(error: unknown): Failure | null {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(cause instanceof Error)) return null;
  if (cause instanceof pg.DatabaseError) {
    const code = cause.code ?? '';
    // Connection exceptions, out of resources, shutting down or starting up.
    if (code.startsWith('08') || code.startsWith('53') || code.startsWith('57P'))
      return { kind: 'store-unavailable', store: 'PostgreSQL' };
    // A statement or a lock that took longer than its deadline, or that PostgreSQL ended so that another could go on.
    if (code === '57014' || code === '55P03' || code === '40P01' || code === '40001')
      return { kind: 'busy', what: 'the database' };
    // Text that PostgreSQL cannot hold: a NUL character, half a surrogate pair.
    if (code === '22021' || code === '22P05')
      return { kind: 'not-valid', path: '', message: 'text with characters that cannot be stored' };
    // A row that names its writer, who is no more. All foreign keys to users are named by drizzle, and nothing here deletes users.
    if (code === '23503' && cause.constraint?.endsWith('_users_id_fk')) return { kind: 'account-gone' };
    return null;
  }
  const network = 'code' in cause && NETWORK_CODES.has(String(cause.code));
  return network || CONNECTION_MESSAGES.test(cause.message) ? { kind: 'store-unavailable', store: 'PostgreSQL' } : null;
}

/** True if the error is PostgreSQL's refusal to break this unique constraint. */
export function violates(error: unknown, constraint: string) {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === '23505' && cause.constraint === constraint;
}
