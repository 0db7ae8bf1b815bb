import { ReplyError } from 'ioredis';
import type { Failure } from '../errors.ts';

/** Answers that say "not now", whatever was asked. All others are faults of ours. https://redis.io/docs/latest/develop/reference/protocol-spec/ */
const NOT_NOW = /^(LOADING|BUSY|MASTERDOWN|READONLY|OOM|MISCONF|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOAUTH|WRONGPASS) /;

/** Of ioredis, whose errors have names and codes only in part. */
const CONNECTION_MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Command aborted|Reached the max retries|Redis has not answered|Socket timeout|Cluster isn't ready|Failed to refresh slots|None of startup nodes|Too many Cluster redirections)/;

/** What an error of Redis means to a caller, or null if it is a fault of ours. */
export function redisFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const away = error instanceof ReplyError ? NOT_NOW.test(error.message) : isConnectionError(error);
  return away ? { kind: 'store-unavailable', store: 'Redis' } : null;
}

function isConnectionError(error: Error) {
  // A socket's error reaches whoever was waiting for an answer on it.
  return 'syscall' in error || CONNECTION_MESSAGES.test(error.message);
}
