import type { Ending } from '@minitickets/api/drain';

/** Ends the process: what Node does on SIGTERM if nobody listens. */
export async function exitAtOnce({ exit }: { exit: () => void }) {
  // #region exit-at-once
  exit();
  // #endregion
}

/** A graceful shutdown as many describe it: close the listener, finish what runs, close the stores. */
export async function closeAtOnce({ closeServer, closeStores }: Ending) {
  // #region close-at-once
  await closeServer();
  await closeStores();
  // #endregion
}
