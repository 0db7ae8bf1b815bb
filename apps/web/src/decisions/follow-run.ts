import { type LabThinning, labEventNames } from '@minitickets/contract';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import { hasEnded, type Run, runEventsPath } from '../api/lab-runs.ts';

/**
 * Listens to a run from its beginning, until it has ended. A connection that breaks is made again by the browser, which says
 * what it has heard already.
 * @returns what ends the listening
 */
export function followRun(
  id: string,
  hear: {
    run: (run: Run) => void;
    experiment: (event: ExperimentEvent) => void;
    thinned: (thinning: LabThinning) => void;
    /** The lab does not keep what this run has told, or is not there. */
    lost: () => void;
  },
): () => void {
  const source = new EventSource(runEventsPath(id));
  const on = <Told>(name: string, told: (data: Told) => void) =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => told(JSON.parse(data)));
  on<ExperimentEvent>(labEventNames.experiment, hear.experiment);
  on<LabThinning>(labEventNames.thinned, hear.thinned);
  on<Run>(labEventNames.run, (run) => {
    // The lab ends its side too, and without this the browser would take that for a broken connection.
    if (hasEnded(run)) source.close();
    hear.run(run);
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) hear.lost();
  });
  return () => source.close();
}
