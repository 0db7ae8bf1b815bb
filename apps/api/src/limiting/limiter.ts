import type { PolicyName, Tier } from '@minitickets/contract';
import type { Registry } from 'prom-client';
import { redisFailure } from '../db/redis-failures.ts';
import type { CallerKey, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { addActivity } from '../queries/limit-activity.ts';
import { liftSuppression } from '../queries/limit-buckets.ts';
import { type Decision, refundToken, reserveToken, type Take, takeTokens } from '../queries/rate-limits.ts';
import { readLimits } from '../queries/stored-limits.ts';
import { breaker } from '../rules/breaker.ts';
import { apiKeyOf, bucketNames } from '../rules/client-identity.ts';
import { type Limit, limitTable } from '../rules/limit-table.ts';
import { localBuckets } from '../rules/local-buckets.ts';
import { type KnownBans, knownBans } from './known-bans.ts';
import { countLimits } from './limit-counts.ts';
import { isBanned, tightestOfEachPolicy } from './tightest.ts';

/** How long the circuit breaker stays open after Redis has failed. */
const COOLDOWN_MS = 250;
/** Assumed until the first report: a new task takes a small share rather than a large one. */
const ASSUMED_TASKS = 4;
/** Lifetime of a reservation's receipt: longer than any request. */
const RECEIPT_MS = 30_000;

/** The outcome of a call during a Redis outage, as its policy chose in advance. */
export type Degraded = { limit: Limit; mode: 'open' | 'local'; allowed: boolean; retryAfterMs?: number | undefined };
export type Outcome = { decisions: Decision[]; degraded: Degraded[] };
/** Who spends tokens under a policy: an identity with its tier, and the API key that it calls with. */
export type Caller = { identity: string; tier: Tier; key?: CallerKey | undefined };
export type Limiter = ReturnType<typeof createLimiter>;

/** The limiter of one task: the limits in force, decisions with and without Redis, and their counts. */
export function createLimiter({ config, db, redis }: Deps, registry: Registry, bans: KnownBans = knownBans()) {
  const nameOf = bucketNames(deriveKey(config.appSecret, 'limit-identity'));
  const store = breaker({ cooldownMs: COOLDOWN_MS });
  const local = localBuckets();
  const counts = countLimits(registry, store.isOpen);
  let table = limitTable();
  let tasks = ASSUMED_TASKS;

  /** Runs a command on Redis behind the circuit breaker. @returns null if Redis fails and no policy is closed */
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
      // Any other error is a reply from Redis.
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

  /** Returns the bucket of an identity under a policy, with the limit in force. */
  const takeOf = (policy: PolicyName, tier: Tier, identity: string): Take => ({
    bucket: nameOf(policy, identity),
    limit: table.limitOf(policy, tier, identity),
  });

  return {
    get table() {
      return table;
    },
    /** The number of tasks that reported recently. */
    get tasks() {
      return tasks;
    },
    nameOf,
    takeOf,
    /**
     * Returns the buckets that a call spends from under a policy: the one function of enforcement and of the operator's look-up.
     *
     * A call with an API key spends from its user's bucket, so that creating keys multiplies nothing, and from the key's own bucket
     * under the same limit. A key that carries a limit spends from its own bucket alone: it was filled and emptied by every call of
     * the key before, so the limit is not a fresh bucket and only the added burst is gained.
     */
    takesOf(policy: PolicyName, { identity, tier, key }: Caller): Take[] {
      // #region key-and-user
      const users = takeOf(policy, tier, identity);
      if (!key) return [users];
      const bucket = nameOf(policy, apiKeyOf(key.id));
      const carried = table.keyLimit(policy, apiKeyOf(key.id), key.tier);
      return carried ? [{ bucket, limit: carried }] : [users, { bucket, limit: users.limit }];
      // #endregion
    },

    /**
     * Takes a token from each bucket, or from none. During a ban that this task knows of, it refuses without asking Redis.
     * When Redis fails, each policy's own failure mode applies.
     * @throws TicketingError store-unavailable, if Redis fails and one of the policies is closed
     */
    async decide(takes: readonly Take[]): Promise<Outcome> {
      // #region known-ban
      for (const take of takes) {
        const ban = take.limit.shadow ? undefined : bans.refusalOf(take);
        if (!ban) continue;
        counts.decided(ban);
        return { decisions: [ban], degraded: [] };
      }
      // #endregion
      const sentAtMs = bans.nowMs();
      const decisions = await ask(takes, () => takeTokens(redis, takes));
      if (!decisions) return { decisions: [], degraded: takes.map(decideAlone) };
      for (const decision of tightestOfEachPolicy(decisions)) counts.decided(decision);
      for (const decision of decisions) {
        if (isBanned(decision)) bans.remember(decision, sentAtMs);
        else bans.forget(decision.take.bucket);
      }
      return { decisions, degraded: [] };
    },

    /** Takes a token that can be refunded once with `giveBack`. If Redis is down by then, the token stays spent. */
    async reserve(take: Take) {
      const reserved = await ask([take], () => reserveToken(redis, take, RECEIPT_MS));
      if (!reserved) return { retryAfterMs: undefined, ...decideAlone(take), giveBack: async () => {} };
      const { decision } = reserved;
      counts.decided(decision);
      const giveBack = async () => {
        await refundToken(redis, reserved.receipt).catch((error: unknown) => {
          if (!redisFailure(error)) throw error;
        });
      };
      const retryAfterMs = decision.allowed ? undefined : decision.retryAfterMs;
      return { allowed: decision.allowed || take.limit.shadow, retryAfterMs, giveBack };
    },

    /** Lifts a ban: at once on this task, on the others at their next call to Redis. @returns false if none was running */
    async liftBan(bucket: string) {
      const lifted = await liftSuppression(redis, bucket);
      bans.forget(bucket);
      return lifted;
    },

    /** Reloads the limits if one has changed. */
    async refreshLimits() {
      const changed = await readLimits(db, table.revision);
      if (changed) table = limitTable(changed);
    },

    /** Reports this task's counts to Redis and updates the number of tasks. */
    async reportActivity() {
      const { report, arrived } = counts.takeReport();
      tasks = await addActivity(redis, config.taskName, report);
      arrived();
    },
  };
}
