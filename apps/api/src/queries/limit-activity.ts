import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** What tasks count: calls by `policy outcome`, and refused and suppressed ones by `policy bucket`. */
export type ActivityCounts = {
  totals: Record<string, number>;
  refused: Record<string, number>;
  suppressed: Record<string, number>;
};

/** Minutes that can be asked for. */
export const ACTIVITY_MINUTES = 15;
/** Of each minute; the busiest stay. */
const MOST_IDENTITIES = 1000;
/** A task reports every second. */
const SILENT_TASK_SECONDS = 10;
/** A minute has a whole number of these. Shorter ones cost memory: a number for each, policy and outcome. */
export const INTERVAL_SECONDS = 5;
/** What was decided in an interval is reported by then: a task reports each second, and a slow one in two. */
const LATE_SECONDS = 2;

/**
 * Adds what one task has counted since it last did.
 * @returns how many tasks there are, as far as they have reported of late
 */
export async function addActivity(redis: RedisConnection, task: string, counts: ActivityCounts): Promise<number> {
  const values = [
    JSON.stringify({ task, ...counts }),
    (ACTIVITY_MINUTES + 1) * 60,
    MOST_IDENTITIES,
    SILENT_TASK_SECONDS,
    INTERVAL_SECONDS,
  ];
  return (await runScript(redis, addScript, [ACTIVITY], values)) as number;
}

/** The counts of all tasks over the last minutes, and the busiest identities with theirs, busiest first. */
export async function readActivity(redis: RedisConnection, { minutes, most }: { minutes: number; most: number }) {
  const answer = (await runScript(redis, readScript, [ACTIVITY], [minutes, most])) as [Flat, Flat, Flat, number];
  const [totals, refused, suppressed, tasks] = answer;
  return { totals: pairs(totals), refused: pairs(refused), suppressed: pairs(suppressed), tasks };
}

/**
 * The totals of all tasks over the last minutes, interval by interval. Numbers of intervals count from the oldest, which is 0;
 * the last one ends at `untilSecond` of Redis's clock.
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

// One hash tag: the keys of all minutes live on one node of a cluster, so that a script may sum them up.
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
