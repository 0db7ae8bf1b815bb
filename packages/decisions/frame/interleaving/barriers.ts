import { setTimeout as wait } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient, Submittable } from 'pg';

/** Barrier timeout: if a participant never arrives, the interleaving is impossible and the run fails instead of hanging. */
const DEADLINE_MS = 5_000;

/**
 * A barrier for `count` participants. It forces the interleaving that production hits once in ten thousand times, without sleeps
 * and without repetitions.
 */
export function barrierOf(count: number, { deadlineMs = DEADLINE_MS } = {}) {
  let missing = count;
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    /** Arrives and waits for the others; later arrivals don't wait. @throws if not all arrive in time */
    async arrive() {
      missing -= 1;
      if (missing <= 0) return open();
      const met = new AbortController();
      const late = wait(deadlineMs, undefined, { signal: met.signal }).then(() => {
        throw new Error(`barrier timeout: ${missing} of ${count} participants did not arrive`);
      });
      await Promise.race([all, late]).finally(() => met.abort());
    },
  };
}

/**
 * Waits until `it` settles, or until `progress` hasn't changed for `stuckMs`. Time is counted in short waits, so that a process that
 * was descheduled doesn't mistake its own pause for a missing answer.
 */
export async function untilDoneOrStuck(it: Promise<unknown>, progress: () => number, stuckMs: number) {
  const state: { done: boolean } = { done: false };
  const settle = () => {
    state.done = true;
  };
  it.then(settle, settle);
  let before = progress();
  let quietMs = 0;
  while (quietMs < stuckMs && !state.done) {
    await wait(LOOK_MS);
    const now = progress();
    quietMs = now === before ? quietMs + LOOK_MS : 0;
    before = now;
  }
  if (state.done) await it;
}

const LOOK_MS = 20;

/** Polls until `isSo`. @throws on timeout; `what` completes "timed out waiting until …" */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, { deadlineMs = DEADLINE_MS } = {}) {
  const deadline = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await wait(2);
  }
}

/** Returns a gate: a function that waits until `isSo` was true once, and from then on doesn't wait. */
export function gateUntil(what: string, isSo: () => boolean | Promise<boolean>, options: { deadlineMs?: number } = {}) {
  let opening: Promise<void> | undefined;
  return () => {
    opening ??= until(what, isSo, options);
    return opening;
  };
}

/**
 * Wraps a task's connection for one request: its first answer is delivered only when every participant of the barrier has its own.
 * `tell` is called with each command's name.
 */
export function answerTogether(
  redis: Redis,
  barrier: ReturnType<typeof barrierOf>,
  tell: (command: string) => void,
): Redis {
  let first = true;
  const sendCommand = async (...[command, stream]: Parameters<Redis['sendCommand']>) => {
    const answer = await redis.sendCommand(command, stream);
    tell(command.name);
    // An error doesn't count: on NOSCRIPT the client sends the script again.
    if (first) {
      first = false;
      await barrier.arrive();
    }
    return answer;
  };
  return Object.create(redis, { sendCommand: { value: sendCommand } }) as Redis;
}

/**
 * Delays each message of a pool's connections until `before` resolves. A message is one statement, or the statements of one
 * `inOneRoundTrip`. Must be called before the pool opens its first connection.
 */
export function holdMessages(pool: Pool, before: (message: { inTransaction: boolean }) => Promise<void>) {
  pool.on('connect', (client: PoolClient) => {
    const send = client.query.bind(client) as (...message: unknown[]) => unknown;
    const later = (...message: unknown[]) => {
      const sent = before({ inTransaction: client.getTransactionStatus() === 'T' }).then(() => send(...message));
      const [first] = message;
      if (!isSubmittable(first)) return sent;
      sent.catch((error: Error) => first.handleError(error));
      return first;
    };
    client.query = later as typeof client.query;
  });
}

type Failing = Submittable & { handleError: (error: Error) => void };
const isSubmittable = (message: unknown): message is Failing =>
  typeof message === 'object' && message !== null && 'submit' in message;
