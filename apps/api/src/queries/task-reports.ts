import { type TaskReport, taskReport } from '@minitickets/contract';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** A task reports every second; one that crashed disappears after this long. */
const SILENT_MS = 10_000;
/** More tasks than a deployment runs on one Redis. */
const MAX_TASKS = 100;

/** A task's report about itself; Redis supplies its time. */
export type OwnReport = Omit<TaskReport, 'reportedMsAgo'>;

/** Replaces this task's report. */
export async function saveReport(redis: RedisConnection, report: OwnReport) {
  await runScript(redis, addScript, [REPORTS], [report.task, JSON.stringify(report), SILENT_MS, MAX_TASKS]);
}

/** Deletes a task's report when it shuts down. */
export async function removeReport(redis: RedisConnection, task: string) {
  await redis.hdel(REPORTS, task);
}

/** Returns the latest report of each live task, sorted by name. Invalid reports are skipped. */
export async function readReports(redis: RedisConnection): Promise<TaskReport[]> {
  const answer = (await runScript(redis, readScript, [REPORTS], [SILENT_MS])) as (string | number)[];
  const reports: TaskReport[] = [];
  for (let at = 0; at < answer.length; at += 3) {
    const read = taskReport.safeParse({ ...parse(String(answer[at + 2])), reportedMsAgo: answer[at + 1] });
    if (read.success && read.data.task === answer[at]) reports.push(read.data);
  }
  return reports.sort((one, other) => one.task.localeCompare(other.task, 'en', { numeric: true }));
}

const REPORTS = 'task-reports';
const addScript = loadScript('task-reports-add.lua');
const readScript = loadScript('task-reports-read.lua');

function parse(text: string): object | null {
  try {
    return Object(JSON.parse(text));
  } catch {
    return null;
  }
}
