import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Attempt } from './attempt.ts';

/**
 * The health of a task, best first.
 * - `ready`: the task can serve every request.
 * - `unready`: the task responds, but with 503, for example without a store. It gets requests only while no task is ready: when a
 *   shared store is down, every task is unready, and partial service is better than none.
 * - `draining`: the task is about to stop.
 * - `silent`: the task refuses connections or does not respond: crashed, paused or hanging.
 */
const states = ['ready', 'unready', 'draining', 'silent'] as const;
export type TaskState = (typeof states)[number];

/** One API task as the balancer sees it. */
export interface Task {
  /** Such as `http://127.0.0.1:4001`. */
  origin: string;
  pool: Pool;
  /** Health checks use separate connections, so that they do not queue behind requests. */
  healthPool: Pool;
  state: TaskState;
  /** When the last response of any kind started to arrive, by `performance.now()`. */
  heardAt: number;
  /** Calls that can be retried at another task. They are aborted when this task becomes silent. */
  repeatable: Set<Attempt>;
}

const READINESS_EVERY_MS = 1000;
/** Longer than a task's 1 s timeout for its stores. */
const READINESS_DEADLINE_MS = 2000;
const LIVENESS_EVERY_MS = 500;
/** A task without any response for this long counts as paused; a busy one still responds to some requests. */
const LIVENESS_DEADLINE_MS = 750;

/**
 * @param maxConnections as many as clients may open, so that no request queues for a connection
 */
export function openTask(origin: string, maxConnections: number): Task {
  const connection = {
    connectTimeout: 1000,
    // Shorter than the 72 s after which a task closes an idle connection: otherwise a request could meet a closing socket.
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 30_000,
    pipelining: 1,
  };
  const pool = new Pool(origin, {
    ...connection,
    connections: maxConnections,
    // A task allows 15 s for a whole request, and its slowest legitimate response, a password behind a full queue, takes a few
    // seconds. A task that is silent for longer hangs, and the client gets a response while it still waits.
    headersTimeout: 12_000,
    // Idle timeout of a response body. Event streams send a heartbeat every 5 s.
    bodyTimeout: 60_000,
  });
  const healthPool = new Pool(origin, { ...connection, connections: 2 });
  return { origin, pool, healthPool, state: 'silent', heardAt: 0, repeatable: new Set() };
}

/** Closes all connections to a task. */
export async function closeTask({ pool, healthPool }: Task): Promise<void> {
  await Promise.all([pool.destroy(), healthPool.destroy()]);
}

/** Returns the tasks that currently get requests: all that share the best state among them. */
export function inTurn(tasks: readonly Task[]): Task[] {
  const best = states.find((state) => tasks.some((task) => task.state === state));
  return tasks.filter(({ state }) => state === best);
}

/**
 * Creates a strict round robin over the tasks that currently get requests. After an unreachable task, the best of the others is
 * tried whatever its state, because it may have recovered since its last check.
 * @returns a function that returns the next task that was not tried yet, or undefined
 */
export function rotation(tasks: readonly Task[]): (tried: ReadonlySet<Task>) => Task | undefined {
  let turn = 0;
  return (tried) => {
    let next: Task | undefined;
    for (let step = 0; step < tasks.length; step += 1) {
      const task = tasks[(turn + step) % tasks.length] as Task;
      if (!tried.has(task) && (!next || states.indexOf(task.state) < states.indexOf(next.state))) next = task;
    }
    if (next) turn = (tasks.indexOf(next) + 1) % tasks.length;
    return next;
  };
}

/** Watches a task's readiness and liveness until the signal is aborted. */
export async function watchTask(task: Task, signal: AbortSignal, onChange: (task: Task) => void): Promise<void> {
  const every = async (ms: number, check: typeof checkReadiness) => {
    while (!signal.aborted) {
      await delay(ms, undefined, { signal }).catch(() => {});
      const before = task.state;
      await check(task, signal);
      if (task.state !== before && !signal.aborted) onChange(task);
    }
  };
  await Promise.all([every(READINESS_EVERY_MS, checkReadiness), every(LIVENESS_EVERY_MS, checkLiveness)]);
}

/** Checks the readiness of a task and updates its state. */
export async function checkReadiness(task: Task, signal: AbortSignal): Promise<void> {
  const askedAt = performance.now();
  try {
    const { statusCode, text } = await ask(task, '/health/ready', READINESS_DEADLINE_MS, signal);
    if (statusCode < 300) task.state = 'ready';
    else task.state = text.includes('draining') ? 'draining' : 'unready';
  } catch {
    if (signal.aborted) return;
    if (saidNothingSince(task, askedAt)) silence(task);
    else task.state = 'unready';
  }
}

async function checkLiveness(task: Task, signal: AbortSignal): Promise<void> {
  const askedAt = performance.now();
  try {
    await ask(task, '/health/live', LIVENESS_DEADLINE_MS, signal);
  } catch {
    if (!signal.aborted && saidNothingSince(task, askedAt)) silence(task);
  }
}

/** Under load a check can be late, so a task is silent only if no request got a response from it either. */
const saidNothingSince = (task: Task, askedAt: number) => task.heardAt < askedAt;

/** Marks a task as silent and aborts the calls that can be retried elsewhere. */
export function silence(task: Task): void {
  task.state = 'silent';
  for (const call of task.repeatable) call.abort();
}

async function ask(task: Task, path: string, deadlineMs: number, signal: AbortSignal) {
  // Not AbortSignal.any: Node 20 may garbage-collect the combined signal before its timeout, and the check would never end.
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, deadlineMs);
  signal.addEventListener('abort', end);
  try {
    const { statusCode, body } = await task.healthPool.request({ method: 'GET', path, signal: ending.signal });
    const text = await body.text();
    task.heardAt = performance.now();
    return { statusCode, text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
