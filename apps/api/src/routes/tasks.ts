import type { Api, Deps } from '../deps.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { readReports } from '../queries/task-reports.ts';

/** The tasks behind the balancer, as each reports itself; every task returns the same list. */
export function taskRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('listTasks', async () => ({ items: await readReports(redis), nextCursor: null }));
}
