import { once } from 'node:events';
import type { Redis } from 'ioredis';

/**
 * Waits until a connection is ready, through failed attempts: on a busy machine a handshake can exceed its deadline.
 * @throws when the signal aborts: the last attempt's error, or the signal's reason if no attempt failed
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
