/**
 * The names of events in a run's stream, and what their data are. `id` counts up within a run, with gaps. The stream begins with
 * the run as it was queued, or, after `Last-Event-ID`, with what follows; it ends after the run's last status.
 */
export const labEventNames = {
  /** A `LabRun`, at every change of its status or position. */
  run: 'run',
  /** An `ExperimentEvent` of packages/decisions. */
  experiment: 'experiment',
  /** A `labThinning`: from here on, and in what is replayed, only some of the requests and levels are told. */
  thinned: 'thinned',
} as const;
