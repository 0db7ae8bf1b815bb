import { pageOf, taskReport } from '@minitickets/contract';
import type { Api, Deps } from '../deps.ts';
import { requireRole, requireSession } from '../plugins/session.ts';
import { readReports } from '../queries/task-reports.ts';

/** The tasks behind the balancer, as each reports itself: every task tells the same. */
export function taskRoutes(app: Api, { db, redis }: Deps) {
  app.get(
    '/v1/admin/tasks',
    {
      onRequest: [requireSession, requireRole(db, 'admin')],
      schema: { summary: 'The tasks that report, and how each is', response: { 200: pageOf(taskReport) } },
    },
    async () => ({ items: await readReports(redis), nextCursor: null }),
  );
}
