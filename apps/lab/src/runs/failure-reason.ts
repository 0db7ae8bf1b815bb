import { postgresFailure } from '@minitickets/api/db/postgres-failures';
import { redisFailure } from '@minitickets/api/db/redis-failures';

/** Returns a readable reason: the message of the root cause, because outer errors may quote whole statements. No stack. */
export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return failureReason(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return failureReason(error.cause);
  if (!(error instanceof Error)) return 'The run threw a value that is not an error.';
  const store = storeThatWentAway(error);
  return store ? `${store} failed during the run.` : error.message || error.name;
}

/** Names the store that failed. The drivers' messages are about their options, and a network error does not say whose connection it was. */
function storeThatWentAway(error: Error) {
  const [redis, postgres] = [redisFailure(error), postgresFailure(error)].map(
    (each) => each?.kind === 'store-unavailable',
  );
  if (redis && postgres) return 'A store';
  return redis ? 'Redis' : postgres ? 'PostgreSQL' : undefined;
}
