import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';

/** An error as logs keep it. */
export type LoggedError = { type: string; message: string; code?: string; stack: string; cause?: LoggedError };

/**
 * What logs may know of an error: what failed and where, never with which values. A failed query carries its parameters in its
 * message, password hashes and e-mail addresses among them, and PostgreSQL quotes the value it could not take.
 */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error', stack: '' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' && { code }),
    // The frames alone: a stack begins with the message.
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
