import type { LimitChange } from '@minitickets/contract';
import { Redis } from 'ioredis';

// #region open-for-all
/** Every policy fails open. */
export const openForAll = (limit: LimitChange): LimitChange => ({ ...limit, onStoreFailure: 'open' });
// #endregion

// #region closed-for-all
/** Every policy fails closed. */
export const closedForAll = (limit: LimitChange): LimitChange => ({ ...limit, onStoreFailure: 'closed' });
// #endregion

/** The client library's defaults: commands wait in an offline queue and are sent when Redis is back. */
export function libraryDefaults(url: string, options: { keyPrefix: string; onError: (error: Error) => void }) {
  const { onError } = options;
  // #region library-defaults
  const redis = new Redis(url, options);
  // Without a listener ioredis prints every failed attempt to reconnect.
  redis.on('error', onError);
  // #endregion
  return redis;
}
