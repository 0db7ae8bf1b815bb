import { TicketingError } from '../errors.ts';

type Waiting<Request, Outcome> = {
  request: Request;
  deadline: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

type Coalescing<Request, Outcome> = {
  /** Writes a batch of one key in one transaction, and gives each request its own outcome, in their order. */
  write: (key: string, requests: Request[]) => Promise<Outcome[]>;
  /** Whether this error means that nothing was written, and that a smaller batch may do better. */
  isIsolable: (error: unknown) => boolean;
  /** The most requests in one transaction. */
  maxBatchSize: number;
  /** The most requests of one key that wait. */
  maxQueueLength: number;
  /** The most transactions at once, over all keys. */
  maxInFlight: number;
};

/**
 * Many small writes that wait for the same row lock, written together: at most one transaction of a key is in flight, and
 * the requests that arrive meanwhile are the next one. There is no timer: the commit is the clock. An idle key waits for
 * nothing, and the busier it is, the more each commit carries.
 *
 * @returns a function that hands over a request and waits for its outcome; it fails with `busy` if the queue is full, or if
 * `queueTimeoutMs` is over before the request's transaction began (the caller has left: nothing is written for them)
 */
export function groupCommit<Request, Outcome>(options: Coalescing<Request, Outcome>) {
  const { write, isIsolable, maxBatchSize, maxQueueLength, maxInFlight } = options;
  const queues = new Map<string, Waiting<Request, Outcome>[]>();
  /** Keys with waiting requests and no transaction, longest waiting first. */
  const ready = new Set<string>();
  let inFlight = 0;
  let scheduled = false;

  // Not at once but after what arrived in the same turn of the event loop, so that a burst is one batch and not one and a rest.
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

  /** A transaction is all or nothing, so a request that breaks one is found by halving, and only it hears of the error. */
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
      if (batch.length === 1 || !isIsolable(error)) {
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
