import type { Api, Deps } from '../deps.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { INTERVAL_SECONDS, readActivity, readActivitySeries } from '../queries/limit-activity.ts';

/**
 * The limiter's activity over the last minutes: the same on every task, except for the latest second, which is not reported
 * yet.
 */
export function limitActivityRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('readLimitActivity', async (request) => {
    const { minutes } = request.query;
    const { totals, refused, suppressed, tasks } = await readActivity(redis, request.query);
    return {
      minutes,
      tasks,
      policies: byPolicy(totals),
      mostRefused: busy(refused),
      mostSuppressed: busy(suppressed),
    };
  });

  serve('readLimitActivitySeries', async (request) => {
    const { untilSecond, intervals, points } = await readActivitySeries(redis, request.query.minutes);
    return {
      intervalSeconds: INTERVAL_SECONDS,
      until: new Date(untilSecond * 1000).toISOString(),
      intervals,
      policies: seriesByPolicy(points, intervals),
    };
  });
}

type Count = { name: string; count: number };
const outcomes = ['allowed', 'throttled', 'suppressed', 'degraded'] as const;
type Outcome = (typeof outcomes)[number];

/** Returns a series per outcome of a policy, with one count for each interval. */
function seriesByPolicy(points: (Count & { interval: number })[], intervals: number) {
  const rows = new Map<string, { policy: string } & Record<Outcome, number[]>>();
  const zeros = () => Array.from({ length: intervals }, () => 0);
  for (const { name, interval, count } of points) {
    const [policy = '', outcome] = name.split(' ');
    const known = outcomes.find((one) => one === outcome);
    if (!known) continue;
    let row = rows.get(policy);
    if (!row) {
      row = { policy, allowed: zeros(), throttled: zeros(), suppressed: zeros(), degraded: zeros() };
      rows.set(policy, row);
    }
    row[known][interval] = count;
  }
  return [...rows.values()].sort((a, b) => a.policy.localeCompare(b.policy));
}

/** Groups totals, which are counted by `policy outcome`. */
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

/** Identities are counted by `policy bucket`; malformed names are skipped. */
const busy = (counts: Count[]) =>
  counts.flatMap(({ name, count }) => {
    const [policy, bucket] = name.split(' ');
    return policy && bucket && Number.isSafeInteger(count) ? [{ policy, bucket, count }] : [];
  });
