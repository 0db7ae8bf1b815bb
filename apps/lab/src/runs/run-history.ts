import { randomUUID } from 'node:crypto';
import { keepResult, readKeptResult } from '@minitickets/decisions/frame/kept-results';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { type KeptRuns, type Run, runOfResult } from './kept-runs.ts';

/** Finished runs kept per experiment, besides its last result. */
const MAX_ENDED = 10;

/** All runs that the lab knows: queued, running, and the last finished ones of each experiment. */
export type RunHistory = ReturnType<typeof openRunHistory>;

/** @param resultsFolder where `npm run experiment` and the lab store the last result of each experiment */
export function openRunHistory(kept: KeptRuns, resultsFolder: string, onError: (error: unknown) => void) {
  const runs = new Map(kept.load().map((run) => [run.id, run]));

  const newestFirst = (experiment?: string) =>
    [...runs.values()]
      .filter((run) => experiment === undefined || run.experiment === experiment)
      .sort((one, other) => (one.queuedAt < other.queuedAt ? 1 : -1));
  const lastResultOf = (experiment: string) => newestFirst(experiment).find(({ result }) => result !== null);

  const keep = (run: Run) => {
    runs.set(run.id, run);
    const written = kept.keep(run);
    if (run.endedAt !== null) forgetOldest(run);
    return written;
  };

  /** Drops the runs that finished first, not those queued first: a run that waited long must not be dropped as soon as it finishes. */
  const forgetOldest = (latest: Run) => {
    const spared = [latest, lastResultOf(latest.experiment)];
    const others = newestFirst(latest.experiment)
      .filter((run) => run.endedAt !== null && !spared.includes(run))
      .sort((one, other) => Date.parse(other.endedAt ?? '') - Date.parse(one.endedAt ?? ''));
    for (const { id } of others.slice(spared[1] === latest ? MAX_ENDED : MAX_ENDED - 1)) {
      runs.delete(id);
      kept.forget(id);
    }
  };

  return {
    find: (id: string) => runs.get(id),
    newestFirst,
    /** Stores the current state of a run. */
    keep,

    /** Stores the result of a run where the command line does. */
    keepResult(result: ExperimentResult) {
      try {
        keepResult(resultsFolder, result);
      } catch (error) {
        onError(error);
      }
    },

    /** The last run with a result, including newer runs of the command line. */
    lastResultOf(experiment: string): Run | undefined {
      const last = lastResultOf(experiment);
      const onDisk = runOfResult(randomUUID(), readKeptResult(resultsFolder, experiment));
      const ranAt = last?.result?.ranAt ?? '';
      if (onDisk?.experiment !== experiment || (onDisk.result?.ranAt ?? '') <= ranAt) return last;
      void keep(onDisk);
      return onDisk;
    },
  };
}
