import http from 'k6/http';
import { baseUrl } from './options.ts';

/** What a task says about itself: its memory in MB, and when its process was started, in s. */
export type TaskState = { task: string; heapMb: number; residentMb: number; startedAt: number };

/** Asks the task whose turn it is: through the balancer every scrape is another one's. Undefined if it cannot be read. */
export function readTask(): TaskState | undefined {
  const { status, body } = http.get(`${baseUrl}/metrics`, { responseType: 'text', tags: { name: 'GET /metrics' } });
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

/** The processes that answer. They take turns, but other clients are served in between: asked until `count` were heard of. */
export function readTasks(count: number): Map<string, TaskState> {
  const tasks = new Map<string, TaskState>();
  for (let asks = 0; asks < 60 && (count === 0 || tasks.size < count); asks += 1) {
    const state = readTask();
    if (state) tasks.set(state.task, state);
  }
  return tasks;
}
