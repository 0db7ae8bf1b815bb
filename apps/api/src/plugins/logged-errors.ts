import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';

/** The loggable form of an error. */
export type LoggedError = { type: string; message: string; code?: string; stack: string; cause?: LoggedError };

/**
 * Returns the loggable form of an error: what failed and where, without user data. drizzle puts a failed query's parameters,
 * such as password hashes and e-mail addresses, into the message, and PostgreSQL quotes the value it rejected.
 */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error', stack: '' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' && { code }),
    // Only the frames, because a stack starts with the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 20)
      .join('\n'),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

function messageOf(error: Error) {
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query}`;
  if (error instanceof pg.DatabaseError) return error.message.replace(/"[^"]*"/g, '"…"');
  return error.message;
}
