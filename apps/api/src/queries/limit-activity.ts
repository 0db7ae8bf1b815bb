import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** Counts of one task: calls by `policy outcome`, and refused and suppressed calls by `policy bucket`. */
export type ActivityCounts = {
  totals: Record<string, number>;
  refused: Record<string, number>;
  suppressed: Record<string, number>;
};

/** Retention in minutes, and so the longest period that can be queried. */
export const ACTIVITY_MINUTES = 15;
/** Maximum identities per minute; the busiest are kept. */
const MAX_IDENTITIES = 1000;
/** A task reports every second; after this long without a report it no longer counts. */
const SILENT_TASK_SECONDS = 10;
/** Has to divide a minute. Shorter intervals cost memory: one number for each interval, policy and outcome. */
export const INTERVAL_SECONDS = 5;
/** Delay until every task has reported an interval: a task reports each second, a slow one every two. */
const LATE_SECONDS = 2;

/**
 * Adds what a task has counted since its last report.
 * @returns the number of tasks that reported recently
 */
export async function addActivity(redis: RedisConnection, task: string, counts: ActivityCounts): Promise<number> {
  const values = [
    JSON.stringify({ task, ...counts }),
    (ACTIVITY_MINUTES + 1) * 60,
    MAX_IDENTITIES,
    SILENT_TASK_SECONDS,
    INTERVAL_SECONDS,
  ];
  return (await runScript(redis, addScript, [ACTIVITY], values)) as number;
}

/** Returns the counts of all tasks over the last minutes, and the busiest identities with their counts, busiest first. */
export async function readActivity(redis: RedisConnection, { minutes, most }: { minutes: number; most: number }) {
  const answer = (await runScript(redis, readScript, [ACTIVITY], [minutes, most])) as [Flat, Flat, Flat, number];
  const [totals, refused, suppressed, tasks] = answer;
  return { totals: pairs(totals), refused: pairs(refused), suppressed: pairs(suppressed), tasks };
}

/**
 * Returns the totals of all tasks over the last minutes by interval. Interval 0 is the oldest; the last one ends at
 * `untilSecond` of Redis's clock.
 */
export async function readActivitySeries(redis: RedisConnection, minutes: number) {
  const values = [minutes, INTERVAL_SECONDS, LATE_SECONDS];
  const answer = (await runScript(redis, seriesScript, [ACTIVITY], values)) as Flat;
  const [untilSecond, ...counts] = answer;
  const points = Array.from({ length: counts.length / 3 }, (_, index) => ({
    name: String(counts[3 * index]),
    interval: Number(counts[3 * index + 1]),
    count: Number(counts[3 * index + 2]),
  }));
  return { untilSecond: Number(untilSecond), intervals: (minutes * 60) / INTERVAL_SECONDS, points };
}

// One hash tag puts the keys of all minutes on one cluster node, where a script can sum them up.
const ACTIVITY = 'limit-activity:{activity}';
const addScript = loadScript('limit-activity-add.lua');
const readScript = loadScript('limit-activity-read.lua');
const seriesScript = loadScript('limit-activity-series.lua');

type Flat = (string | number)[];

const pairs = (flat: Flat) =>
  Array.from({ length: flat.length / 2 }, (_, index) => ({
    name: String(flat[2 * index]),
    count: Number(flat[2 * index + 1]),
  }));
