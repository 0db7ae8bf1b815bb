import { activityQuery, limitActivity } from '@minitickets/contract';
import type { Api, Deps } from '../deps.ts';
import { requireRole, requireSession } from '../plugins/session.ts';
import { readActivity } from '../queries/limit-activity.ts';

/** What the limits did over the last minutes: the same from every task, up to the second that has not been reported yet. */
export function limitActivityRoutes(app: Api, { redis }: Deps) {
  app.get(
    '/v1/admin/limits/activity',
    {
      onRequest: [requireSession, requireRole('admin')],
      schema: {
        summary: 'What all tasks decided of late, and the busiest identities',
        querystring: activityQuery,
        response: { 200: limitActivity },
      },
    },
    async (request) => {
      const { minutes } = request.query;
      const { totals, refused, suppressed, tasks } = await readActivity(redis, request.query);
      return {
        minutes,
        tasks,
        policies: byPolicy(totals),
        mostRefused: busy(refused),
        mostSuppressed: busy(suppressed),
      };
    },
  );
}

type Count = { name: string; count: number };

/** Totals are counted by `policy outcome`. */
function byPolicy(totals: Count[]) {
  const rows = new Map<
    string,
    { policy: string; allowed: number; throttled: number; suppressed: number; degraded: number }
  >();
  for (const { name, count } of totals) {
    const [policy, outcome] = name.split(' ') as [string, 'allowed' | 'throttled' | 'suppressed' | 'degraded'];
    const row = rows.get(policy) ?? { policy, allowed: 0, throttled: 0, suppressed: 0, degraded: 0 };
    row[outcome] += count;
    rows.set(policy, row);
  }
  return [...rows.values()].sort((a, b) => a.policy.localeCompare(b.policy));
}

/** Identities are counted by `policy bucket`; what is no such count is left out. */
const busy = (counts: Count[]) =>
  counts.flatMap(({ name, count }) => {
    const [policy, bucket] = name.split(' ');
    return policy && bucket && Number.isSafeInteger(count) ? [{ policy, bucket, count }] : [];
  });
