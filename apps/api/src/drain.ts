import type { Lifecycle } from './routes/health.ts';

/** What of a task has to end. */
export type Ending = {
  lifecycle: Lifecycle;
  /** Lasts until balancers have seen that the task is not ready any more. */
  lookAway: () => Promise<unknown>;
  /** Takes no new request, and lasts until those that run are answered. */
  closeServer: () => Promise<unknown>;
  closeStores: () => Promise<unknown>;
};

/**
 * Ends a task without anybody noticing. It says that it is not ready, and serves on for as long as balancers need to see it: a
 * listener that is closed before that meets requests that are on their way to it.
 */
export async function drain({ lifecycle, lookAway, closeServer, closeStores }: Ending) {
  // #region order
  lifecycle.draining = true;
  await lookAway();
  await closeServer();
  await closeStores();
  // #endregion
}
