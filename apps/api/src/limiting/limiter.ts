import type { PolicyName, Tier } from '@minitickets/contract';
import type { Registry } from 'prom-client';
import { redisFailure } from '../db/redis-failures.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { addActivity } from '../queries/limit-activity.ts';
import { readOverrides } from '../queries/limit-overrides.ts';
import { type Decision, refundToken, reserveToken, type Take } from '../queries/rate-limits.ts';
import { breaker } from '../rules/breaker.ts';
import { bucketNames } from '../rules/client-identity.ts';
import { type Limit, limitTable } from '../rules/limits.ts';
import { localBuckets } from '../rules/local-buckets.ts';
import { batchDecisions } from './decision-batches.ts';
import { countLimits } from './limit-counts.ts';

/** For so long a store that has failed is not asked. */
const REST_MS = 250;
/** Before a task has heard of the others it takes a small share rather than a large one. */
const ASSUMED_TASKS = 4;
/** Longer than any request lasts. */
const RECEIPT_MS = 30_000;

/** What became of a call without Redis, as its policy chose beforehand. */
export type Degraded = { limit: Limit; mode: 'open' | 'local'; allowed: boolean; retryAfterMs?: number | undefined };
export type Outcome = { decisions: Decision[]; degraded: Degraded[] };
export type Limiter = ReturnType<typeof createLimiter>;

/** The limiter of one task: the limits in force, decisions with Redis or without it, and what is counted of them. */
export function createLimiter({ config, db, redis }: Deps, registry: Registry) {
  const nameOf = bucketNames(deriveKey(config.appSecret, 'limit-identity'));
  const store = breaker({ restMs: REST_MS });
  const local = localBuckets();
  const take = batchDecisions(redis);
  const counts = countLimits(registry, store.isOpen);
  let table = limitTable();
  let tasks = ASSUMED_TASKS;

  /** Null without Redis, if the policies allow to go on without it. */
  async function ask<Answer>(takes: readonly Take[], question: () => Promise<Answer>) {
    // #region ask
    if (!store.admits()) return goOnWithoutStore(takes);
    const begunAt = performance.now();
    try {
      const answer = await question();
      store.succeeded();
      if (local.size > 0) local.clear();
      counts.tookMs(performance.now() - begunAt);
      return answer;
    } catch (error) {
      // Whatever else went wrong, Redis did answer.
      if (!redisFailure(error)) {
        store.succeeded();
        throw error;
      }
      store.failed();
      return goOnWithoutStore(takes, error);
    }
    // #endregion
  }

  // #region without-store
  function goOnWithoutStore(takes: readonly Take[], cause?: unknown) {
    const closed = takes.find(({ limit }) => limit.onStoreFailure === 'closed' && !limit.shadow);
    if (!closed) return null;
    counts.degraded(closed.limit, 'closed');
    return fail(redisFailure(cause) ?? { kind: 'store-unavailable', store: 'Redis' }, { cause });
  }

  function decideAlone({ bucket, limit, cost }: Take): Degraded {
    const mode = limit.onStoreFailure === 'local' && !limit.shadow ? 'local' : 'open';
    counts.degraded(limit, mode);
    return { limit, mode, ...(mode === 'open' ? { allowed: true } : local.take(bucket, limit, tasks, cost)) };
  }
  // #endregion

  return {
    get table() {
      return table;
    },
    /** How many tasks have lately been reporting. */
    get tasks() {
      return tasks;
    },
    nameOf,
    /** The bucket of an identity under a policy, and the limit in force for it. */
    takeOf: (policy: PolicyName, tier: Tier, identity: string): Take => ({
      bucket: nameOf(policy, identity),
      limit: table.of(policy, tier),
    }),

    /**
     * Takes a token of each, or none. Without Redis each policy's own choice holds.
     * @throws TicketingError store-unavailable, if one of them is closed without Redis
     */
    async decide(takes: readonly Take[]): Promise<Outcome> {
      const decisions = await ask(takes, () => take(takes));
      if (!decisions) return { decisions: [], degraded: takes.map(decideAlone) };
      for (const decision of decisions) counts.decided(decision);
      return { decisions, degraded: [] };
    },

    /**
     * Takes a token that can be given back: `giveBack` does so once, and leaves it spent if Redis is away by then.
     * @throws TicketingError store-unavailable
     */
    async reserve(take: Take) {
      const reserved = await ask([take], () => reserveToken(redis, take, RECEIPT_MS));
      if (!reserved) return { allowed: decideAlone(take).allowed, giveBack: async () => {} };
      counts.decided(reserved.decision);
      const giveBack = async () => {
        await refundToken(redis, reserved.receipt).catch((error: unknown) => {
          if (!redisFailure(error)) throw error;
        });
      };
      return { allowed: reserved.decision.allowed || take.limit.shadow, giveBack };
    },

    /** Looks whether limits have been changed. */
    async refreshLimits() {
      const { overrides, revision } = await readOverrides(db);
      if (revision !== table.revision) table = limitTable(overrides, revision);
    },

    /** Adds what was counted to what other tasks have counted, and learns how many they are. */
    async reportActivity() {
      const { report, arrived } = counts.takeReport();
      tasks = await addActivity(redis, config.taskName, report);
      arrived();
    },
  };
}
