import type { Ending } from '@minitickets/api/drain';

/** Exits: Node's default on SIGTERM. */
export async function exitAtOnce({ exit }: { exit: () => void }) {
  // #region exit-at-once
  exit();
  // #endregion
}

/** A common but incomplete graceful shutdown: close the listener, finish in-flight requests, close the stores. */
export async function closeAtOnce({ closeServer, closeStores }: Ending) {
  // #region close-at-once
  await closeServer();
  await closeStores();
  // #endregion
}
