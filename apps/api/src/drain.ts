import type { Lifecycle } from './routes/health.ts';

/** The steps of a graceful shutdown. */
export type Ending = {
  lifecycle: Lifecycle;
  /** Resolves when balancers have seen that the task is not ready. */
  waitForBalancers: () => Promise<unknown>;
  /** Stops accepting requests, and resolves when the running ones are answered (connection draining). */
  closeServer: () => Promise<unknown>;
  closeStores: () => Promise<unknown>;
};

/**
 * Shuts a task down gracefully. It first reports that it is not ready, and keeps serving until balancers have seen that:
 * closing the listener earlier would drop requests that are on their way.
 */
export async function drain({ lifecycle, waitForBalancers, closeServer, closeStores }: Ending) {
  // #region order
  lifecycle.draining = true;
  await waitForBalancers();
  await closeServer();
  await closeStores();
  // #endregion
}
