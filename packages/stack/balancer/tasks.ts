import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

/** One API task as the balancer sees it. */
export interface Task {
  /** Like `http://127.0.0.1:4001`. */
  origin: string;
  pool: Pool;
  /**
   * Whether it has no turn: it did not answer when asked last, it says that it is draining, or it refused a connection since. A 503
   * for a store that is away leaves it in: every task would say so at once, and what they can still answer would be lost.
   */
  out: boolean;
}

const healthCheckEveryMs = 1000;
const healthCheckTimeoutMs = 2000;

/** @param localAddress where connections to the task come from; the system's choice if undefined */
export function openTask(origin: string, localAddress: string | undefined): Task {
  const pool = new Pool(origin, {
    localAddress,
    connectTimeout: 2000,
    // A task gives a whole request 15 s, and its slowest honest answer, a password behind a full queue, takes a few. Who says nothing
    // for longer than this hangs, and its caller hears so while still waiting.
    headersTimeout: 12_000,
    // An event stream may be silent for long.
    bodyTimeout: 0,
    // Below the 72 s after which a task closes an idle connection: we must be the first, or a request meets a closing socket.
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 30_000,
    connections: 1024,
    pipelining: 1,
  });
  return { origin, pool, out: true };
}

/**
 * Whose turn it is: strictly one after the other among the tasks that are not out. When all are, they get the request all the same:
 * one may have come back since it was asked.
 * @returns a function that gives the next task which was not tried yet, or undefined when all were
 */
export function rotation(tasks: readonly Task[]): (tried: ReadonlySet<Task>) => Task | undefined {
  let turn = 0;
  return (tried) => {
    const inTurn = [...tasks.slice(turn), ...tasks.slice(0, turn)].filter((task) => !tried.has(task));
    const next = inTurn.find((task) => !task.out) ?? inTurn[0];
    if (next) turn = (tasks.indexOf(next) + 1) % tasks.length;
    return next;
  };
}

/** Asks a task each second whether it takes requests, until the signal says stop. */
export async function watchTask(task: Task, signal: AbortSignal, onChange: (task: Task) => void): Promise<void> {
  while (!signal.aborted) {
    await delay(healthCheckEveryMs, undefined, { signal }).catch(() => {});
    const before = task.out;
    await checkTask(task, signal);
    if (task.out !== before && !signal.aborted) onChange(task);
  }
}

export async function checkTask(task: Task, signal: AbortSignal): Promise<void> {
  task.out = !(await takesRequests(task, signal));
}

async function takesRequests({ pool }: Task, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await pool.request({
      method: 'GET',
      path: '/health/ready',
      signal: AbortSignal.any([signal, AbortSignal.timeout(healthCheckTimeoutMs)]),
    });
    return !(await body.text()).includes('draining');
  } catch {
    return false;
  }
}
