/**
 * The names of events in a run's stream, and their data. `id` increases within a run, with gaps. The stream starts with the
 * queued run, or with what follows `Last-Event-ID`, and ends after the run's last status.
 */
export const labEventNames = {
  /** A `LabRun`, at every change of its status or position. */
  run: 'run',
  /** An `ExperimentEvent` of packages/decisions. */
  experiment: 'experiment',
  /** A `labThinning`: from here on, and in replays, only a sample of the requests and levels is sent. */
  thinned: 'thinned',
} as const;
