import type { LimitChange } from '@minitickets/contract';
import { Redis } from 'ioredis';

// #region open-for-all
/** A limit is only a limit: while it cannot be asked, everybody passes. */
export const openForAll = (limit: LimitChange): LimitChange => ({ ...limit, onStoreFailure: 'open' });
// #endregion

// #region closed-for-all
/** What cannot be limited is not served. */
export const closedForAll = (limit: LimitChange): LimitChange => ({ ...limit, onStoreFailure: 'closed' });
// #endregion

/** A connection as the library makes it: what cannot be sent waits, and is sent when Redis is back. */
export function libraryDefaults(url: string, options: { keyPrefix: string; onError: (error: Error) => void }) {
  const { onError } = options;
  // #region library-defaults
  const redis = new Redis(url, options);
  // Without a listener ioredis prints every failed attempt to reconnect.
  redis.on('error', onError);
  // #endregion
  return redis;
}
