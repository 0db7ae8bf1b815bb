import { TicketingError } from '../errors.ts';

type Waiting<Request, Outcome> = {
  request: Request;
  deadline: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

type Coalescing<Request, Outcome> = {
  /** Writes a batch of one key in one transaction and returns the outcome of each request, in their order. */
  write: (key: string, requests: Request[]) => Promise<Outcome[]>;
  /**
   * Returns what a failed batch means for others. `request`: nothing was written, and a smaller batch may succeed. `batch`: its
   * requests fail. `queue`: the next batch would wait as long and fail too, so that the requests queued behind fail at once.
   */
  failureScope: (error: unknown) => 'request' | 'batch' | 'queue';
  /** Returns the error of a request that fails in the queue, before anything was sent for it. */
  errorOfQueued: (error: unknown) => unknown;
  /** Maximum requests in one transaction. */
  maxBatchSize: number;
  /** Maximum queued requests of one key. */
  maxQueueLength: number;
  /** Maximum concurrent transactions over all keys. */
  maxInFlight: number;
};

/**
 * Group commit for many small writes that contend for the same row lock: at most one transaction of a key is in flight, and
 * requests that arrive meanwhile share the next one. There is no timer, because the commit is the clock: an idle key waits
 * for nothing, and the busier a key is, the more each commit carries.
 *
 * @returns a function that queues a request and returns its outcome. It fails with `busy` if the queue is full (bounded
 * queue), or if the request's transaction has not begun within `queueTimeoutMs`; then nothing is written for it
 */
export function groupCommit<Request, Outcome>(options: Coalescing<Request, Outcome>) {
  const { write, failureScope, errorOfQueued, maxBatchSize, maxQueueLength, maxInFlight } = options;
  const queues = new Map<string, Waiting<Request, Outcome>[]>();
  /** Keys with queued requests and no running transaction, longest waiting first. */
  const ready = new Set<string>();
  let inFlight = 0;
  let scheduled = false;

  // Deferred to the end of the event-loop tick, so that a burst becomes one batch.
  function schedule() {
    if (scheduled) return;
    scheduled = true;
    setImmediate(begin);
  }

  function begin() {
    scheduled = false;
    for (const key of ready) {
      if (inFlight >= maxInFlight) return;
      ready.delete(key);
      inFlight += 1;
      void writeNext(key).finally(() => {
        inFlight -= 1;
        if (queues.get(key)?.length) ready.add(key);
        else queues.delete(key);
        schedule();
      });
    }
  }

  async function writeNext(key: string) {
    const taken = queues.get(key)?.splice(0, maxBatchSize) ?? [];
    const now = performance.now();
    for (const { reject } of taken.filter(({ deadline }) => deadline <= now)) reject(busy());
    await settle(
      key,
      taken.filter(({ deadline }) => deadline > now),
    );
  }

  /** A transaction is all or nothing, so bisection finds the request that breaks it, and only that request gets the error. */
  async function settle(key: string, batch: Waiting<Request, Outcome>[]) {
    if (batch.length === 0) return;
    try {
      const outcomes = await write(
        key,
        batch.map(({ request }) => request),
      );
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      const scope = failureScope(error);
      const failsWithIt = scope === 'queue' ? (queues.get(key)?.splice(0) ?? []) : [];
      for (const { reject } of failsWithIt) reject(errorOfQueued(error));
      if (batch.length === 1 || scope !== 'request') {
        for (const { reject } of batch) reject(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await settle(key, batch.slice(0, half));
      await settle(key, batch.slice(half));
    }
  }

  return (key: string, request: Request, { queueTimeoutMs }: { queueTimeoutMs: number }) =>
    new Promise<Outcome>((resolve, reject) => {
      const queue = queues.get(key);
      if (queue && queue.length >= maxQueueLength) return reject(busy());
      const waiting = { request, deadline: performance.now() + queueTimeoutMs, resolve, reject };
      if (queue) queue.push(waiting);
      else {
        queues.set(key, [waiting]);
        ready.add(key);
      }
      schedule();
    });
}

const busy = () => new TicketingError({ kind: 'busy', what: 'this event' });
