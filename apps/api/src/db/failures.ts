import { type Failure, TicketingError } from '../errors.ts';
import { postgresFailure } from './postgres-failures.ts';
import { redisFailure } from './redis-failures.ts';

/** Returns the failure behind an error, or null for a bug of ours or a rejection by Fastify. */
export function meaningOf(error: unknown): Failure | null {
  if (error instanceof TicketingError) return error.failure;
  return postgresFailure(error) ?? redisFailure(error);
}

/**
 * Awaits what follows the commit of a request. A store that fails now must not be reported as `store-unavailable` or `busy`, which
 * say that nothing was written.
 * @throws TicketingError outcome-unknown
 */
export async function afterCommit<Result>(step: Promise<Result>): Promise<Result> {
  return await step.catch((error: unknown) => {
    const kind = meaningOf(error)?.kind;
    if (kind !== 'store-unavailable' && kind !== 'busy') throw error;
    throw new TicketingError({ kind: 'outcome-unknown' }, { cause: error });
  });
}
