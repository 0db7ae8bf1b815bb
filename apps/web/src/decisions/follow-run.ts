import { type LabThinning, labEventNames } from '@minitickets/contract';
import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import { hasEnded, type Run, runEventsPath } from '../api/lab-runs.ts';

/**
 * Streams the events of a run from its start until it ends. After a lost connection the browser reconnects with the id of
 * the last event that it received.
 * @returns a function that closes the stream
 */
export function followRun(
  id: string,
  handlers: {
    run: (run: Run) => void;
    experiment: (event: ExperimentEvent) => void;
    thinned: (thinning: LabThinning) => void;
    /** The lab no longer has the events of this run, or is not running. */
    lost: () => void;
  },
): () => void {
  const source = new EventSource(runEventsPath(id));
  const on = <Data>(name: string, handle: (data: Data) => void) =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => handle(JSON.parse(data)));
  on<ExperimentEvent>(labEventNames.experiment, handlers.experiment);
  on<LabThinning>(labEventNames.thinned, handlers.thinned);
  on<Run>(labEventNames.run, (run) => {
    // The lab closes the stream as well; unless the browser closes it first, it would reconnect.
    if (hasEnded(run)) source.close();
    handlers.run(run);
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) handlers.lost();
  });
  return () => source.close();
}
