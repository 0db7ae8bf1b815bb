import type { Api } from '../deps.ts';

/** Deadline for every read. PostgreSQL's own deadlines are longer, for writes and their locks. */
export const READ_DEADLINE_MS = 2_000;

/**
 * Sets a deadline for every GET of this scope; a late one fails with `FST_ERR_HANDLER_TIMEOUT`. Redis has a shorter deadline
 * of its own, so a late read is waiting for PostgreSQL. Call it before the routes are added.
 */
export function limitReads(app: Api) {
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') route.handlerTimeout ??= READ_DEADLINE_MS;
  });
}
