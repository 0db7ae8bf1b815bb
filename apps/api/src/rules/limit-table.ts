import type { LimitChange, LimitTier, PolicyName } from '@minitickets/contract';
import { fullAfterUs } from './bucket-arithmetic.ts';
import { policies } from './limits.ts';

/** A limit in force, with values derived once instead of on every call. */
export type Limit = LimitChange & {
  policy: PolicyName;
  tier: LimitTier;
  /** Revision of the table of limits: a task with an older revision never overrides a newer limit. */
  revision: number;
  /** The limit as `rate-limits.lua` reads it. */
  forScript: string;
  /** The limit as a member of `RateLimit-Policy`. */
  policyHeader: string;
};

/** The limits in force in a task: the shipped ones and their overrides. */
export type LimitTable = {
  revision: number;
  limits: readonly Limit[];
  of: (policy: PolicyName, tier: LimitTier) => Limit;
};

export type LimitOverride = LimitChange & { policy: string; tier: string };

/** Returns the shipped limit of a policy; undefined if it has none for this tier. */
export function shippedLimit(policy: PolicyName, tier: LimitTier): LimitChange | undefined {
  return (policies[policy].limits as Partial<Record<LimitTier, LimitChange>>)[tier];
}

/** Returns the part of a limit that operators can change. */
export function numbersOf(limit: LimitChange): LimitChange {
  const { capacity, refillTokens, refillIntervalMs, onStoreFailure, suppression, shadow } = limit;
  return { capacity, refillTokens, refillIntervalMs, onStoreFailure, suppression, shadow };
}

/** @param revision grows with every change of an override */
export function limitTable(overrides: LimitOverride[] = [], revision = 0): LimitTable {
  const byName = new Map<string, Limit>();
  for (const policy of Object.keys(policies) as PolicyName[]) {
    for (const [tier, shipped] of Object.entries(policies[policy].limits) as [LimitTier, LimitChange][]) {
      const override = overrides.find((row) => row.policy === policy && row.tier === tier);
      byName.set(`${policy} ${tier}`, makeLimit(policy, tier, override ?? shipped, revision));
    }
  }
  return {
    revision,
    limits: [...byName.values()],
    of(policy, tier) {
      const limit = byName.get(`${policy} ${tier}`) ?? byName.get(`${policy} all`);
      if (!limit) throw new Error(`no limit for ${policy}, tier ${tier}`);
      return limit;
    },
  };
}

/** @throws RangeError for numbers that are not a valid limit; the contract's `limitChange` explains them to people */
export function makeLimit(policy: PolicyName, tier: LimitTier, change: LimitChange, revision: number): Limit {
  const numbers = numbersOf(change);
  const { capacity, refillTokens, refillIntervalMs, suppression: ban, shadow } = numbers;
  const counts = [capacity, refillTokens, refillIntervalMs, ...(ban ? Object.values(ban) : [])];
  const exact = capacity * refillIntervalMs * 1000 <= Number.MAX_SAFE_INTEGER;
  if (
    !exact ||
    !counts.every((count) => Number.isSafeInteger(count) && count >= 1) ||
    !Number.isSafeInteger(revision)
  ) {
    throw new RangeError(`not a limit: ${JSON.stringify(change)}`);
  }
  const windowSeconds = Math.max(1, Math.ceil(fullAfterUs({ capacity, refillTokens, refillIntervalMs }, 0) / 1e6));
  return {
    ...numbers,
    policy,
    tier,
    revision,
    forScript: JSON.stringify([
      ...[capacity, refillTokens, refillIntervalMs, revision, shadow ? 0 : 1],
      ...[policies[policy].promiseHorizonMs * 1000, ban?.strikes ?? 0],
      ...[(ban?.firstBanMs ?? 0) * 1000, ban?.growth ?? 1, (ban?.longestBanMs ?? 0) * 1000],
      (ban?.forgetAfterMs ?? 0) * 1000,
    ]),
    policyHeader: `"${policy}";q=${capacity};w=${windowSeconds}`,
  };
}
