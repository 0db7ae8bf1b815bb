import http from 'k6/http';
import { baseUrl } from './options.ts';

/** By default the balancer's, which is round robin. If the balancer hides metrics, the runner provides a URL that is, too. */
const metricsUrl = __ENV.METRICS_URL || `${baseUrl}/metrics`;
const headers: Record<string, string> = __ENV.METRICS_TOKEN ? { authorization: `Bearer ${__ENV.METRICS_TOKEN}` } : {};

/** A task's memory in MB, and the start of its process in Unix seconds. */
export type TaskState = { task: string; heapMb: number; residentMb: number; startedAt: number };

/** Reads the metrics of the next task, round robin. Undefined if they cannot be read. */
export function readTask(): TaskState | undefined {
  const { status, body } = http.get(metricsUrl, { headers, responseType: 'text', tags: { name: 'GET /metrics' } });
  if (status !== 200) return undefined;
  const read = (metric: string) => {
    const [, labels, value] = new RegExp(`^${metric}(\\{[^}]*\\})? (\\S+)$`, 'm').exec(body) ?? [];
    return { task: /task="([^"]+)"/.exec(labels ?? '')?.[1], value: Number(value) };
  };
  const { task, value: startedAt } = read('process_start_time_seconds');
  const heapMb = read('nodejs_heap_size_used_bytes').value / 1024 / 1024;
  const residentMb = read('process_resident_memory_bytes').value / 1024 / 1024;
  return task && heapMb > 0 ? { task, heapMb, residentMb, startedAt } : undefined;
}

/** Returns the responding tasks by name. Other clients advance the round robin too, so it scrapes until it has seen `count` tasks. */
export function readTasks(count: number): Map<string, TaskState> {
  const tasks = new Map<string, TaskState>();
  for (let scrapes = 0; scrapes < 60 && (count === 0 || tasks.size < count); scrapes += 1) {
    const state = readTask();
    if (state) tasks.set(state.task, state);
  }
  return tasks;
}
