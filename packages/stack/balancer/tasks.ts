import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

/**
 * What a task said of itself last, best first.
 * - `ready`: it can do all of its work.
 * - `unready`: it answers, but 503, for example because it is cut off from a store. It gets requests only while no task is ready:
 *   when a shared store is down every task says so, and what they can still answer is better than nothing.
 * - `draining`: it is about to stop.
 * - `silent`: it refused a connection, or says nothing at all: crashed, paused or hanging.
 */
const states = ['ready', 'unready', 'draining', 'silent'] as const;
export type TaskState = (typeof states)[number];

/** One API task as the balancer sees it. */
export interface Task {
  /** Like `http://127.0.0.1:4001`. */
  origin: string;
  pool: Pool;
  /** Its health checks have connections of their own: they must not queue behind the requests that they are about. */
  healthPool: Pool;
  state: TaskState;
  /** When the last answer of any kind began to arrive, by `performance.now()`. */
  heardAt: number;
  /** Calls that may be repeated at another task. They are aborted when this one turns silent. */
  repeatable: Set<AbortController>;
}

const READINESS_EVERY_MS = 1000;
/** Longer than the second that a task gives its stores to answer. */
const READINESS_DEADLINE_MS = 2000;
const LIVENESS_EVERY_MS = 500;
/** A task that answers nothing to anybody for this long is taken for paused; a busy one still answers somebody. */
const LIVENESS_DEADLINE_MS = 750;

/**
 * @param localAddress where connections to the task come from; the system's choice if undefined
 * @param maxConnections as many as clients may open, so that no request queues for a connection
 */
export function openTask(origin: string, localAddress: string | undefined, maxConnections: number): Task {
  const connection = {
    localAddress,
    connectTimeout: 1000,
    // Below the 72 s after which a task closes an idle connection: we must be the first, or a request meets a closing socket.
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 30_000,
    pipelining: 1,
  };
  const pool = new Pool(origin, {
    ...connection,
    connections: maxConnections,
    // A task gives a whole request 15 s, and its slowest honest answer, a password behind a full queue, takes a few. One that says
    // nothing for longer hangs, and its caller is answered while still waiting.
    headersTimeout: 12_000,
    // The silence that ends an answer. Event streams send a heartbeat every 5 s.
    bodyTimeout: 60_000,
  });
  const healthPool = new Pool(origin, { ...connection, connections: 2 });
  return { origin, pool, healthPool, state: 'silent', heardAt: 0, repeatable: new Set() };
}

/** Closes all connections to a task. */
export async function closeTask({ pool, healthPool }: Task): Promise<void> {
  await Promise.all([pool.destroy(), healthPool.destroy()]);
}

/** The tasks that take turns now: those in the best state that any of them is in. */
export function inTurn(tasks: readonly Task[]): Task[] {
  const best = states.find((state) => tasks.some((task) => task.state === state));
  return tasks.filter(({ state }) => state === best);
}

/**
 * Makes a strict round robin over the tasks that are in turn. A task that was tried and could not be reached is followed by the
 * best of the others, in turn or not: one may have come back since it was asked.
 * @returns a function that gives the next task which was not tried yet, or undefined when all were
 */
export function rotation(tasks: readonly Task[]): (tried: ReadonlySet<Task>) => Task | undefined {
  let turn = 0;
  return (tried) => {
    const ordered = [...tasks.slice(turn), ...tasks.slice(0, turn)].filter((task) => !tried.has(task));
    const next = inTurn(ordered)[0];
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

/** Asks a task whether it can do its work, and sets its state accordingly. */
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

/** Under load one check can be late. The task is silent only if nobody else has had an answer from it meanwhile either. */
const saidNothingSince = (task: Task, askedAt: number) => task.heardAt < askedAt;

/** Takes a task out of turn; what may be repeated elsewhere stops waiting for it. */
export function silence(task: Task): void {
  task.state = 'silent';
  for (const call of task.repeatable) call.abort();
}

async function ask(task: Task, path: string, deadlineMs: number, signal: AbortSignal) {
  // Not AbortSignal.any: Node 20 may collect the combined signal before its time is up, and the check would never end.
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
