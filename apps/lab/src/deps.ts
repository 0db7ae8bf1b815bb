import type { Experiment } from '@minitickets/decisions/frame/experiment';
import type { RedisPauses } from './redis-pauses.ts';
import type { RunHistory } from './runs/run-history.ts';
import type { RunQueue } from './runs/run-queue.ts';

/** The dependencies of the routes. */
export type Deps = {
  experiments: readonly Experiment[];
  queue: RunQueue;
  history: RunHistory;
  pauses: RedisPauses;
  /** Whether clients may pause Redis. During a pause, all log-ins and bookings are refused. */
  allowRedisPauses: boolean;
};
