import type { Api } from '../deps.ts';

/** No read is answered later than this. PostgreSQL's own deadlines are longer: they are for writes and their locks. */
export const READ_DEADLINE_MS = 2_000;

/**
 * Gives every GET of this scope a deadline: what is not answered by then fails with `FST_ERR_HANDLER_TIMEOUT`. Redis has its
 * own, shorter deadline, so a read that is late waits for PostgreSQL. Call it before the routes are added.
 */
export function limitReads(app: Api) {
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') route.handlerTimeout ??= READ_DEADLINE_MS;
  });
}
