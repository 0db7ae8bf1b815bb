import { setTimeout as wait } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient, Submittable } from 'pg';

/** No barrier is waited at for longer: then the interleaving did not come about, and the experiment fails instead of hanging. */
const DEADLINE_MS = 5_000;

/**
 * A place where everybody waits until all have come. What a busy day does once in ten thousand times is so done every time,
 * by order and not by luck: no sleeps, no tries.
 */
export function meetingOf(count: number, { deadlineMs = DEADLINE_MS } = {}) {
  let missing = count;
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    /** Comes, and waits for the others; who comes after them waits for nobody. @throws if not all have come in time */
    async arrive() {
      missing -= 1;
      if (missing <= 0) return open();
      const met = new AbortController();
      const late = wait(deadlineMs, undefined, { signal: met.signal }).then(() => {
        throw new Error(`a meeting of ${count} waited in vain for ${missing} of them`);
      });
      await Promise.race([all, late]).finally(() => met.abort());
    },
  };
}

/**
 * Waits for it, or until it gets nowhere: `progress` says how far it has come, and was the same for so long. Time is counted in
 * short waits, so that a process that had no turn for a while does not take its own absence for that of an answer.
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

/** Asks until it is so. @throws if it is not so in time; `what` ends the sentence "waited in vain until …" */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, { deadlineMs = DEADLINE_MS } = {}) {
  const deadline = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await wait(2);
  }
}

/** A gate that is shut until it is so for the first time, and open from then on. @returns passes it */
export function gateUntil(what: string, isSo: () => boolean | Promise<boolean>, options: { deadlineMs?: number } = {}) {
  let opening: Promise<void> | undefined;
  return () => {
    opening ??= until(what, isSo, options);
    return opening;
  };
}

/**
 * A view of a task's connection for one request, on which the first answer is heard only when everybody at the meeting has
 * theirs: whatever the others do first, they have done. `tell` is told of each command and its answer.
 */
export function hearTogether(
  redis: Redis,
  meeting: ReturnType<typeof meetingOf>,
  tell: (command: string) => void,
): Redis {
  let first = true;
  const sendCommand = async (...[command, stream]: Parameters<Redis['sendCommand']>) => {
    const answer = await redis.sendCommand(command, stream);
    tell(command.name);
    // An error is no answer: a script that Redis does not know yet is sent once more.
    if (first) {
      first = false;
      await meeting.arrive();
    }
    return answer;
  };
  return Object.create(redis, { sendCommand: { value: sendCommand } }) as Redis;
}

/**
 * Holds back what a pool's connections send: each message until `before` is through. A message is what node-postgres sends at
 * once, a statement or several of `inOneRoundTrip`. Call it before the pool's first connection is opened.
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
