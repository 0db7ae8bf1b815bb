import type { FastifyBaseLogger } from 'fastify';
import type { Deps } from '../deps.ts';
import { expireHolds } from './expire-holds.ts';

/** Every task runs all of these; each is written so that tasks share the work instead of doing it twice. */
const EVERY_MS = { expireHolds: 1_000 };

/** Starts what runs by itself. `stop` waits for what is running. */
export function startJobs({ db }: Deps, log: FastifyBaseLogger) {
  const jobs = [repeat('expire-holds', EVERY_MS.expireHolds, (signal) => expireHolds(db, signal), log)];
  return { stop: async () => void (await Promise.all(jobs.map((stop) => stop()))) };
}

/** Runs again this long after the last run ended, so that a slow run never overlaps itself. A failed run is only logged. */
function repeat(name: string, everyMs: number, run: (signal: AbortSignal) => Promise<unknown>, log: FastifyBaseLogger) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  const next = () => {
    running = run(stopping.signal)
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'a run of a job failed'))
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, everyMs);
      });
  };
  // Tasks that start together do not stay in step.
  timer = setTimeout(next, Math.random() * everyMs);
  return () => {
    stopping.abort();
    clearTimeout(timer);
    return running;
  };
}
