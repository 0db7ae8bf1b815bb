import type { Api, Deps } from '../deps.ts';
import type { StoreProbes } from '../health/store-probes.ts';
import { taskReporter } from '../health/task-reports.ts';
import { repeatRounds } from '../rounds.ts';

const ROUND_MS = 1000;

/**
 * Reports this task's state to the other tasks every second. Without Redis it is silent, like a task that is gone, and
 * reappears with Redis.
 */
export function reportTask(app: Api, deps: Deps, probeStores: StoreProbes, lifecycle: Readonly<{ draining: boolean }>) {
  const reporter = taskReporter(deps, probeStores, lifecycle);
  const attempt = (act: () => Promise<void>, failure: string) => () =>
    act().catch((error: unknown) => app.log.debug({ err: error }, failure));
  app.addHook('onResponse', (_request, _reply, done) => {
    reporter.countRequest();
    done();
  });
  // Registered before the interval: hooks close in reverse order, and a running report would add the task again.
  app.addHook('onClose', attempt(reporter.remove, 'removing the report of the task failed'));
  repeatRounds(app, ROUND_MS, attempt(reporter.save, 'reporting the state of the task failed'));
}
