import { once } from 'node:events';
import type { Redis } from 'ioredis';

/**
 * Waits until a connection is ready. An attempt that fails is followed by the next one: on a busy machine a handshake can take
 * longer than it may.
 * @throws why the last attempt failed when the signal ends the wait, or the signal's reason if none has failed
 */
export async function whenReady(redis: Redis, signal: AbortSignal) {
  let failure: unknown;
  while (redis.status !== 'ready') {
    await once(redis, 'ready', { signal }).catch((error: unknown) => {
      if (signal.aborted) throw failure ?? signal.reason;
      failure = error;
    });
  }
}
