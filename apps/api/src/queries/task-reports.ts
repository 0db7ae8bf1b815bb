import { type TaskReport, taskReport } from '@minitickets/contract';
import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/** A task reports every second; one that was ended without a word is gone after this. */
const SILENT_MS = 10_000;
/** More than anybody runs behind one Redis. */
const MOST_TASKS = 100;

/** What a task says of itself; when it did is Redis's to know. */
export type OwnReport = Omit<TaskReport, 'reportedMsAgo'>;

/** Says how this task is, in place of what it said before. */
export async function saveReport(redis: RedisConnection, report: OwnReport) {
  await runScript(redis, addScript, [REPORTS], [report.task, JSON.stringify(report), SILENT_MS, MOST_TASKS]);
}

/** Takes back what a task said, because it ends. */
export async function removeReport(redis: RedisConnection, task: string) {
  await redis.hdel(REPORTS, task);
}

/** The newest report of each task that is there, by their names. What is no report is left out. */
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
