import type { Redis } from 'ioredis';

/** At most `burst` tokens; one flows back per emission interval. */
export type SmallLimit = { burst: number; intervalUs: number };

/**
 * Takes tokens from one bucket with one of the small scripts of this folder.
 * @returns whether the call is allowed; then microseconds: how long an allowed call has to be delayed, or after which wait a
 *   refused one will be served (-1: never)
 */
export async function take(redis: Redis, script: string, key: string, limit: SmallLimit, cost = 1) {
  const answer = await redis.eval(script, 1, key, limit.burst, limit.intervalUs, cost);
  const [allowed, us] = answer as [number, number];
  return allowed === 1 ? { allowed: true, delayUs: us } : { allowed: false, waitUs: us };
}
