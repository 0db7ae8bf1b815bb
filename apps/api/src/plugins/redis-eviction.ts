import { Gauge, type Registry } from 'prom-client';
import { redisFailure } from '../db/redis-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { evictionPolicyOf } from '../queries/store-probes.ts';
import { repeatRounds } from './rounds.ts';

/** How often the policy is read. It changes when an operator changes it. */
const ROUND_MS = 10_000;

/**
 * Watches whether Redis may evict keys. An evicted bucket is a full one again and an evicted session is a log-out, so a Redis
 * with another policy than `noeviction` is reported: in the log when it is first seen, as a metric, and in `/health/ready`.
 * @returns the policy that was last read: null if Redis evicts nothing
 */
export function watchEviction(app: Api, { redis }: Pick<Deps, 'redis'>, registry: Registry) {
  let policy: string | null = null;
  new Gauge({
    name: 'minitickets_redis_may_evict',
    help: '1 while Redis may evict keys: it has a memory limit and another policy than noeviction.',
    registers: [registry],
    collect() {
      this.set(policy === null ? 0 : 1);
    },
  });
  repeatRounds(app, ROUND_MS, async () => {
    const before = policy;
    try {
      policy = await evictionPolicyOf(redis);
    } catch (error) {
      const what = redisFailure(error) ? 'debug' : 'warn';
      app.log[what]({ err: error }, 'the eviction policy of Redis could not be read');
    }
    if (policy !== null && policy !== before) app.log.warn({ policy }, evictionWarning(policy));
  });
  return () => policy;
}

/** What may go wrong under this policy, and what to do about it. */
export const evictionWarning = (policy: string) =>
  `Redis may evict buckets and sessions (maxmemory-policy ${policy}): set it to noeviction.`;
