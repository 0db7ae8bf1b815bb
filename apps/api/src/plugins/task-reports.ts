import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TaskState } from '@minitickets/contract';
import type { Api, Deps } from '../deps.ts';
import { removeReport, saveReport } from '../queries/task-reports.ts';
import { repeatRounds } from './rounds.ts';
import { probeStores } from './store-probes.ts';

const ROUND_MS = 1000;
/** Resolution of the event-loop delay. */
const DELAY_RESOLUTION_MS = 10;

/**
 * Reports this task's state to the other tasks through Redis. Without Redis it is silent, like a task that is gone, and
 * reappears with Redis.
 */
export function reportTask(app: Api, deps: Deps, lifecycle: Readonly<{ draining: boolean }>) {
  const { config, redis } = deps;
  const startedAt = new Date().toISOString();
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  let requests = 0;
  let countedSince = performance.now();
  app.addHook('onResponse', (_request, _reply, done) => {
    requests += 1;
    done();
  });

  const report = async () => {
    const stores = await probeStores(deps);
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
    }).catch((error: unknown) => app.log.debug({ err: error }, 'reporting the state of the task failed'));
  };
  // Registered before the interval: hooks close in reverse order, and a running report would add the task again.
  app.addHook('onClose', async () => {
    delays.disable();
    await removeReport(redis, config.taskName).catch((error: unknown) =>
      app.log.debug({ err: error }, 'removing the report of the task failed'),
    );
  });
  repeatRounds(app, ROUND_MS, report);
}

/** Rounds to two decimals. */
const round = (value: number) => Math.round(value * 100) / 100;
