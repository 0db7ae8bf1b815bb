import type { Experiment } from '@minitickets/decisions/frame/experiment';
import type { RedisPauses } from './redis-pauses.ts';
import type { RunHistory } from './runs/run-history.ts';
import type { RunQueue } from './runs/run-queue.ts';

/** What the routes are given. */
export type Deps = {
  experiments: readonly Experiment[];
  queue: RunQueue;
  history: RunHistory;
  pauses: RedisPauses;
  /** Whether clients may pause Redis, which refuses log-ins and bookings to everybody while it lasts. */
  allowRedisPauses: boolean;
};
