import { postgresFailure } from '@minitickets/api/db/postgres-failures';
import { redisFailure } from '@minitickets/api/db/redis-failures';

/** A sentence for people: what was at the bottom of it, without where it happened. What stands above that may be a whole statement. */
export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return failureReason(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return failureReason(error.cause);
  if (!(error instanceof Error)) return 'It threw something that is no error.';
  const store = storeThatWentAway(error);
  return store ? `${store} went away during the run.` : error.message || error.name;
}

/** The drivers' own words are about their options. An error of the network alone does not say whose connection it was. */
function storeThatWentAway(error: Error) {
  const [redis, postgres] = [redisFailure(error), postgresFailure(error)].map(
    (each) => each?.kind === 'store-unavailable',
  );
  if (redis && postgres) return 'A store';
  return redis ? 'Redis' : postgres ? 'PostgreSQL' : undefined;
}
