import type { Faults } from './faults.ts';
import type { Ended } from './programs.ts';

/** A running stack, as a load test needs it. */
export type Target = {
  url: string;
  description: string;
  tasks: number;
  /** From how many addresses of this machine its balancer can be called, and see them. */
  addresses: number;
  /** Runs `node …` in the repository, with the environment of one of its tasks; `input` is its standard input. */
  runNode: (args: string[], input?: string) => Promise<Ended>;
  /** Reads the metrics of one task, by its number from 0. Undefined where the balancer serves them. */
  readMetrics?: (task: number) => Promise<string>;
  /** Undefined where breaking things would be rude, or is not possible. */
  faults: Faults | undefined;
  end: () => Promise<void>;
};
