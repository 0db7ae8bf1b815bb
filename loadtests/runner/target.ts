import type { Faults } from './faults.ts';
import type { Ended } from './programs.ts';

/** A running stack under load test. */
export type Target = {
  url: string;
  description: string;
  tasks: number;
  /** The number of client addresses of this machine that its balancer can tell apart. */
  addresses: number;
  /** Runs `node …` in the repository, with the environment of one of its tasks; `input` is its standard input. */
  runNode: (args: string[], input?: string) => Promise<Ended>;
  /** Reads the metrics of one task, by its number from 0. Undefined where the balancer serves them. */
  readMetrics?: (task: number) => Promise<string>;
  /** Undefined if the stack must not, or cannot, be broken. */
  faults: Faults | undefined;
  end: () => Promise<void>;
};
