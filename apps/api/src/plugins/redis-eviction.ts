import { Gauge, type Registry } from 'prom-client';
import { redisFailure } from '../db/redis-failures.ts';
import type { Api, Deps } from '../deps.ts';
import { evictionPolicyOf } from '../queries/store-probes.ts';
import { repeatRounds } from '../rounds.ts';

/** How often the policy is read; only an operator changes it. */
const ROUND_MS = 10_000;

/**
 * Watches whether Redis may evict keys. An evicted bucket becomes full, and an evicted session is a log-out. So any policy
 * other than `noeviction` is reported: in the log when first seen, as a metric, and in `/health/ready`.
 * @returns a function that returns the policy last read: null if Redis evicts nothing
 */
export function watchEviction(app: Api, { redis }: Pick<Deps, 'redis'>, registry: Registry) {
  let policy: string | null = null;
  new Gauge({
    name: 'minitickets_redis_may_evict',
    help: '1 while Redis may evict keys: it has a memory limit and a policy other than noeviction.',
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
      app.log[what]({ err: error }, 'reading the eviction policy of Redis failed');
    }
    if (policy !== null && policy !== before) app.log.warn({ policy }, evictionWarning(policy));
  });
  return () => policy;
}

/** Returns the warning for operators: the risk of this policy, and the fix. */
export const evictionWarning = (policy: string) =>
  `Redis may evict buckets and sessions (maxmemory-policy ${policy}): set it to noeviction.`;
