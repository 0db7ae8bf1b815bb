import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';

/** What the lab says to the process of a run. */
export type ToRun =
  | {
      kind: 'run';
      experiment: string;
      predicted: number | undefined;
      arena: { redisUrl: string; redisKeyPrefix: string; description: string };
    }
  /** The run's database, which it asked for. */
  | { kind: 'database'; url: string }
  | { kind: 'no-database'; reason: string }
  | { kind: 'cancel' };

/** What the process of a run says to the lab. */
export type FromRun =
  | { kind: 'needs-database' }
  | { kind: 'events'; events: ExperimentEvent[] }
  | { kind: 'result'; result: ExperimentResult }
  | { kind: 'failed'; reason: string };
