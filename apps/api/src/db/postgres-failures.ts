import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { type Failure, TicketingError } from '../errors.ts';

const down = (condition: string): Failure => ({ kind: 'store-unavailable', store: 'PostgreSQL', condition });
const busy: Failure = { kind: 'busy', what: 'the database' };
const noAnswer = down('is not responding');

/**
 * PostgreSQL errors that are conditions of the server and not bugs of ours, by SQLSTATE prefix; the longest match wins.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const meanings: Record<string, Failure> = {
  // Connection exceptions.
  '08': noAnswer,
  // In recovery, a replica after a failover, or set read-only by the operator.
  '25006': down('rejects writes'),
  // A transaction that was idle or ran for too long, so the server ended it.
  '25P03': busy,
  '25P04': busy,
  // A password rotation, a role without the right to connect, a database being restored, a missing grant.
  '28': down('denies access to this task'),
  '3D000': down('denies access to this task'),
  '42501': down('denies permission'),
  // Serialisation failure, a transaction whose outcome is unknown, deadlock.
  '40001': busy,
  '40003': noAnswer,
  '40P01': busy,
  // Insufficient resources.
  '53': down('is out of resources'),
  '53100': down('is out of disk space'),
  '53200': down('is out of memory'),
  '53300': down('has no free connection'),
  // A database or object in the wrong state for the statement: it allows no connections, or it is in use.
  '55000': down('rejects connections'),
  '55006': down('rejects connections'),
  // A lock timeout or statement timeout.
  '55P03': busy,
  '57014': busy,
  // Shutting down, crashed, starting up, dropped.
  '57P': down('is starting or stopping'),
  // An error outside PostgreSQL: disk or files.
  '58': down('reports an operating-system error'),
  // Text that PostgreSQL cannot store: a NUL character or a lone surrogate.
  '22021': { kind: 'not-valid', path: '', message: 'text with characters that cannot be stored' },
  '22P05': { kind: 'not-valid', path: '', message: 'text with characters that cannot be stored' },
};

/** Errors of node-postgres and its pool that have no code. */
const CONNECTION_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|.*Cannot use a pool after calling end)/;
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

/** SQLSTATEs of a broken connection or server, after which a statement may have been carried out or not. */
const LOST_ANSWER_CODES = /^(08|40003|57P01|57P02|58)/;
const LOST_ANSWER_MESSAGES = /^(Connection terminated(?! due to connection timeout)|Query read timeout)/;
const LOST_ANSWER_NETWORK_CODES = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const READS = /^\s*(select\b|with\b(?!.*\b(insert|update|delete)\b))/is;

const causeOf = (error: unknown) => (error instanceof DrizzleQueryError ? error.cause : error);

/**
 * Maps an error of PostgreSQL to a failure; null if it is a bug of ours. A write that is its own transaction may have been
 * committed although its answer was lost.
 */
export function postgresFailure(error: unknown): Failure | null {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return null;
  if (error instanceof DrizzleQueryError && !READS.test(error.query) && isAnswerLost(cause))
    return { kind: 'outcome-unknown' };
  if (cause instanceof pg.DatabaseError) {
    // The user was deleted. Only foreign keys to users end in this name, and the application deletes no users.
    if (cause.code === '23503' && cause.constraint?.endsWith('_users_id_fk')) return { kind: 'account-gone' };
    const code = cause.code ?? '';
    return meanings[code] ?? meanings[code.slice(0, 3)] ?? meanings[code.slice(0, 2)] ?? null;
  }
  const network = 'code' in cause && NETWORK_CODES.has(String(cause.code));
  return network || CONNECTION_MESSAGES.test(cause.message) ? noAnswer : null;
}

/** Returns whether the statement was sent, and the connection or the server broke before its answer arrived. */
function isAnswerLost(cause: Error) {
  if (cause instanceof pg.DatabaseError) return LOST_ANSWER_CODES.test(cause.code ?? '');
  if (LOST_ANSWER_MESSAGES.test(cause.message)) return true;
  const isConnecting = 'syscall' in cause && cause.syscall === 'connect';
  return 'code' in cause && LOST_ANSWER_NETWORK_CODES.has(String(cause.code)) && !isConnecting;
}

/**
 * Throws the error of a message that commits.
 * @throws TicketingError outcome-unknown, unless PostgreSQL itself reported that it did not commit
 */
export function failCommit(error: unknown): never {
  const cause = causeOf(error);
  const isRefused = cause instanceof pg.DatabaseError && !isAnswerLost(cause);
  if (isRefused || !postgresFailure(cause)) throw error;
  throw new TicketingError({ kind: 'outcome-unknown' }, { cause: error });
}

/**
 * Throws the error of a transaction that never reached its commit, and so wrote nothing.
 * @throws TicketingError store-unavailable, if the connection or the server broke
 */
export function failBeforeCommit(error: unknown): never {
  if (postgresFailure(error)?.kind === 'outcome-unknown') throw new TicketingError(noAnswer, { cause: error });
  throw error;
}

/** Returns whether PostgreSQL let a deadline pass, so that the next statement would wait as long. */
export function isSilence(error: unknown): boolean {
  if (error instanceof TicketingError) return isSilence(error.cause);
  const cause = causeOf(error);
  return cause instanceof Error && /^(Query read timeout|timeout exceeded when trying to connect)/.test(cause.message);
}

/** Returns whether the error is a violation of this unique constraint. */
export function violates(error: unknown, constraint: string) {
  const cause = causeOf(error);
  return cause instanceof pg.DatabaseError && cause.code === '23505' && cause.constraint === constraint;
}
