import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TaskState } from '@minitickets/contract';
import type { Deps } from '../deps.ts';
import { removeReport, saveReport } from '../queries/task-reports.ts';
import type { StoreProbes } from './store-probes.ts';

/** Resolution of the event-loop delay. */
const DELAY_RESOLUTION_MS = 10;

/** Measures this task and reports its state to the other tasks through Redis. `save` and `remove` throw what Redis throws. */
export function taskReporter(
  { config, redis }: Pick<Deps, 'config' | 'redis'>,
  probeStores: StoreProbes,
  lifecycle: Readonly<{ draining: boolean }>,
) {
  const startedAt = new Date().toISOString();
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  let requests = 0;
  let countedSince = performance.now();

  return {
    countRequest: () => {
      requests += 1;
    },

    async save() {
      const stores = await probeStores();
      const away = stores.postgresMs === null || stores.redisMs === null;
      const state: TaskState = lifecycle.draining ? 'draining' : away ? 'store_away' : 'ready';
      const now = performance.now();
      const seconds = Math.max(0.001, (now - countedSince) / 1000);
      const [counted, delayMs] = [requests, delays.percentile(99) / 1e6 - DELAY_RESOLUTION_MS];
      requests = 0;
      countedSince = now;
      delays.reset();
      await saveReport(redis, {
        task: config.taskName,
        version: config.version,
        startedAt,
        state,
        postgresMs: stores.postgresMs && round(stores.postgresMs),
        redisMs: stores.redisMs && round(stores.redisMs),
        requestsPerSecond: round(counted / seconds),
        eventLoopDelayMs: round(Math.max(0, delayMs)),
      });
    },

    /** Stops measuring and removes the task's report. */
    async remove() {
      delays.disable();
      await removeReport(redis, config.taskName);
    },
  };
}

/** Rounds to two decimals. */
const round = (value: number) => Math.round(value * 100) / 100;
