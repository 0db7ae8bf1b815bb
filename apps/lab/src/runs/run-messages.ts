import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';

/** Messages from the lab to the process of a run. */
export type ToRun =
  | {
      kind: 'run';
      experiment: string;
      predicted: number | undefined;
      arena: { redisUrl: string; redisKeyPrefix: string; description: string };
    }
  /** The database that the run requested. */
  | { kind: 'database'; url: string }
  | { kind: 'no-database'; reason: string }
  | { kind: 'cancel' };

/** Messages from the process of a run to the lab. */
export type FromRun =
  | { kind: 'needs-database' }
  | { kind: 'events'; events: ExperimentEvent[] }
  | { kind: 'result'; result: ExperimentResult }
  | { kind: 'failed'; reason: string };
