import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type { KeptRuns, Run } from './kept-runs.ts';
import type { RunHistory } from './run-history.ts';
import { RunFailedError } from './run-in-process.ts';
import { openRunLog, type RunLog } from './run-log.ts';

export const MAX_WAITING = 8;
/** Shorter than the balancer's 12 s timeout. Clean-up is slow when a store is down. */
const CANCEL_PATIENCE_MS = 8_000;

type Options = {
  history: RunHistory;
  kept: KeptRuns;
  /** Executes a run within its own deadline. */
  carryOut: (
    run: Run,
    about: { signal: AbortSignal; tell: (event: ExperimentEvent) => void },
  ) => Promise<ExperimentResult>;
  /** No run may start before this time, in ms since the epoch. */
  notBefore: () => number;
  onError: (error: unknown) => void;
};

type Job = { run: Run; log: RunLog; cancelling: AbortController; ended: Promise<void>; hasEnded: () => void };

/** The reason of a run that was stopped from outside. */
class StoppedError extends Error {
  override name = 'StoppedError';
}

/** A bounded FIFO queue that executes one run at a time, so that runs do not distort each other's measurements. */
export type RunQueue = ReturnType<typeof openRunQueue>;

export function openRunQueue({ history, kept, carryOut, notBefore, onError }: Options) {
  const waiting: Job[] = [];
  let current: Job | undefined;
  let stopping = false;
  let later: NodeJS.Timeout | undefined;

  const jobs = () => (current ? [current, ...waiting] : [...waiting]);
  const jobOf = (id: string) => jobs().find(({ run }) => run.id === id);

  const change = (job: Job, change: Partial<Run>) => {
    Object.assign(job.run, change);
    job.log.tellRun(job.run);
    return history.keep(job.run);
  };

  const renumber = () => {
    for (const [index, job] of waiting.entries()) {
      if (job.run.position !== index + 1) void change(job, { position: index + 1 });
    }
  };

  const begin = () => {
    clearTimeout(later);
    const restMs = notBefore() - Date.now();
    if (current || waiting.length === 0) return;
    if (restMs > 0) {
      later = setTimeout(begin, restMs);
      return;
    }
    current = waiting.shift() as Job;
    renumber();
    void carryOutAndEnd(current).catch(onError);
  };

  const carryOutAndEnd = async (job: Job) => {
    void change(job, { status: 'running', position: 0, startedAt: new Date().toISOString() });
    const { signal } = job.cancelling;
    const outcome = await carryOut(job.run, { signal, tell: job.log.tellExperiment }).then(
      (result): Partial<Run> => ({ status: 'finished', proved: result.proved, result }),
      (error: unknown) => endingOf(error),
    );
    try {
      if (outcome.result) history.keepResult(outcome.result);
      await end(job, outcome);
    } finally {
      current = undefined;
      begin();
    }
  };

  const endingOf = (error: unknown): Partial<Run> => {
    if (error instanceof CancelledError) return { status: 'cancelled' };
    if (error instanceof StoppedError || error instanceof RunFailedError)
      return { status: 'failed', failure: error.message };
    onError(error);
    return { status: 'failed', failure: 'The lab could not execute the run; see its log.' };
  };

  const end = async (job: Job, outcome: Partial<Run>) => {
    const written = change(job, { ...outcome, position: null, endedAt: new Date().toISOString() });
    job.log.end();
    await Promise.all([written, kept.keepEvents(job.run.id, job.log.all())]);
    job.hasEnded();
  };

  const stopJob = async (job: Job, reason: Error) => {
    const place = waiting.indexOf(job);
    if (place >= 0) {
      waiting.splice(place, 1);
      renumber();
      await end(job, endingOf(reason));
    } else job.cancelling.abort(reason);
    await job.ended;
  };

  return {
    isRunning: () => current !== undefined,

    /** Queues a run; undefined if the queue is full or the lab is stopping. */
    add({ experiment, predicted }: { experiment: string; predicted: number | undefined }): Run | undefined {
      if (stopping || waiting.length >= MAX_WAITING) return undefined;
      const nothingYet = { startedAt: null, endedAt: null, proved: null, failure: null, result: null };
      const run: Run = {
        ...{ id: randomUUID(), experiment, status: 'queued', position: waiting.length + 1 },
        ...{ predicted: predicted ?? null, queuedAt: new Date().toISOString(), ...nothingYet },
      };
      const { promise: ended, resolve: hasEnded } = deferred();
      const job: Job = { run, log: openRunLog(), cancelling: new AbortController(), ended, hasEnded };
      waiting.push(job);
      void change(job, {});
      const queued = { ...run };
      begin();
      return queued;
    },

    /** Cancels a queued or running run; a finished one stays as it is. Resolves when it has ended, or at a deadline. */
    async cancel(id: string) {
      const job = jobOf(id);
      if (job)
        await Promise.race([stopJob(job, new CancelledError()), delay(CANCEL_PATIENCE_MS, undefined, { ref: false })]);
    },

    /** The event log of a run; undefined if unknown. */
    async logOf(id: string): Promise<RunLog | undefined> {
      const job = jobOf(id);
      if (job) return job.log;
      const run = history.find(id);
      if (!run) return undefined;
      const received = await kept.readEvents(id);
      const log = openRunLog(received);
      if (received.length === 0) log.tellRun(run);
      return log;
    },

    /** Ends every run. */
    async stop() {
      stopping = true;
      clearTimeout(later);
      const reason = new StoppedError('The lab stopped before the run finished.');
      for (const job of waiting.toReversed()) await stopJob(job, reason);
      if (current) await stopJob(current, reason);
      await kept.written();
    },
  };
}

class CancelledError extends Error {
  override name = 'CancelledError';
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
