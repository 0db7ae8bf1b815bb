import { randomUUID } from 'node:crypto';
import { keepResult, readKeptResult } from '@minitickets/decisions/frame/kept-results';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { type KeptRuns, type Run, runOfResult } from './kept-runs.ts';

/** Of each experiment so many runs that have ended are kept, and its last result in any case. */
const MOST_ENDED = 10;

/** Every run that the lab knows: those that wait or run, and the last ones of each experiment. */
export type RunHistory = ReturnType<typeof openRunHistory>;

/** @param resultsFolder where `npm run experiment` and the lab keep the last result of each experiment */
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

  /** Those that ended first, whenever they were asked for: one that waited long is not forgotten as soon as it has ended. */
  const forgetOldest = (latest: Run) => {
    const spared = [latest, lastResultOf(latest.experiment)];
    const others = newestFirst(latest.experiment)
      .filter((run) => run.endedAt !== null && !spared.includes(run))
      .sort((one, other) => Date.parse(other.endedAt ?? '') - Date.parse(one.endedAt ?? ''));
    for (const { id } of others.slice(spared[1] === latest ? MOST_ENDED : MOST_ENDED - 1)) {
      runs.delete(id);
      kept.forget(id);
    }
  };

  return {
    find: (id: string) => runs.get(id),
    newestFirst,
    /** Keeps a run as it is now. */
    keep,

    /** Keeps what a run came to where the command line keeps it too. */
    keepResult(result: ExperimentResult) {
      try {
        keepResult(resultsFolder, result);
      } catch (error) {
        onError(error);
      }
    },

    /** The last run that came to a result. One that somebody made on the command line since is taken in. */
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
