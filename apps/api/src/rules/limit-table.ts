import type { LimitChange, LimitTier, PolicyName, ShippedTier, Tier } from '@minitickets/contract';
import { fullAfterUs } from './bucket-arithmetic.ts';
import { policies } from './limits.ts';

/** A limit in force, with values derived once instead of on every call. */
export type Limit = LimitChange & {
  policy: PolicyName;
  /** `own` for the limit of a single identity. */
  tier: LimitTier;
  /** Revision of the table of limits: a task with an older revision never overrides a newer limit. */
  revision: number;
  /** The eleven numbers that `rate-limits.lua` reads, separated by commas. */
  forScript: string;
  /** The limit as a member of `RateLimit-Policy`. */
  policyHeader: string;
};

/** What operators have changed, as PostgreSQL stores it. */
export type StoredLimits = {
  /** The added tiers. */
  tiers: { name: string; basedOn: ShippedTier }[];
  overrides: LimitOverride[];
  /** The limits of single identities, as `clientOf`, `userOf` and `apiKeyOf` name them. */
  identities: (LimitChange & { policy: string; identity: string })[];
  /** Grows with every change. */
  revision: number;
};
export type LimitOverride = LimitChange & { policy: string; tier: string };

/** The limits in force in a task: the shipped ones and what operators have changed. */
export type LimitTable = {
  revision: number;
  /** Those of all tiers, in the order of the policies. */
  limits: readonly Limit[];
  /** Returns the limit of a tier. A tier that this task has not heard of has the limits of `free`, until the next refresh. */
  of: (policy: PolicyName, tier: LimitTier) => Limit;
  /** Returns the limit of an identity: its own, or its tier's. */
  limitOf: (policy: PolicyName, tier: LimitTier, identity: string) => Limit;
  /**
   * Returns the limit that an API key carries: its own, or that of the tier given to it, where the policy has tiers. Undefined for
   * a key that carries none: it spends its user's budget.
   */
  keyLimit: (policy: PolicyName, identity: string, tier: Tier | null) => Limit | undefined;
};

/** Returns the shipped limit of a policy; undefined if it has none for this tier. */
export function shippedLimit(policy: PolicyName, tier: LimitTier): LimitChange | undefined {
  return (policies[policy].limits as Partial<Record<LimitTier, LimitChange>>)[tier];
}

export const hasTiers = (policy: PolicyName) => !('all' in policies[policy].limits);

/** Returns the part of a limit that operators can change. */
export function numbersOf(limit: LimitChange): LimitChange {
  const { capacity, refillTokens, refillIntervalMs, onStoreFailure, suppression, shadow } = limit;
  return { capacity, refillTokens, refillIntervalMs, onStoreFailure, suppression, shadow };
}

export function limitTable(stored: Partial<StoredLimits> = {}): LimitTable {
  const { tiers = [], overrides = [], identities = [], revision = 0 } = stored;
  const ofTier = new Map<string, Limit>();
  const ofIdentity = new Map<string, Limit>();
  for (const policy of Object.keys(policies) as PolicyName[]) {
    const add = (tier: LimitTier, unchanged: LimitChange) => {
      const override = overrides.find((row) => row.policy === policy && row.tier === tier);
      ofTier.set(`${policy} ${tier}`, makeLimit(policy, tier, override ?? unchanged, revision));
    };
    for (const [tier, shipped] of Object.entries(policies[policy].limits)) add(tier, shipped);
    if (!hasTiers(policy)) continue;
    for (const { name, basedOn } of tiers) add(name, of(policy, basedOn));
  }
  for (const { policy, identity, ...numbers } of identities) {
    if (isPolicy(policy)) ofIdentity.set(`${policy} ${identity}`, makeLimit(policy, 'own', numbers, revision));
  }

  function of(policy: PolicyName, tier: LimitTier) {
    const limit = ofTier.get(`${policy} ${tier}`) ?? ofTier.get(`${policy} all`) ?? ofTier.get(`${policy} free`);
    if (!limit) throw new Error(`no limit for ${policy}`);
    return limit;
  }
  return {
    revision,
    limits: [...ofTier.values()],
    of,
    limitOf: (policy, tier, identity) => ofIdentity.get(`${policy} ${identity}`) ?? of(policy, tier),
    keyLimit: (policy, identity, tier) =>
      ofIdentity.get(`${policy} ${identity}`) ?? (tier !== null && hasTiers(policy) ? of(policy, tier) : undefined),
  };
}

/** A policy may be gone since its row was written. */
const isPolicy = (name: string): name is PolicyName => Object.hasOwn(policies, name);

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
    forScript: [
      ...[capacity, refillTokens, refillIntervalMs, revision, shadow ? 0 : 1],
      ...[policies[policy].promiseHorizonMs * 1000, ban?.strikes ?? 0],
      ...[(ban?.firstBanMs ?? 0) * 1000, ban?.growth ?? 1, (ban?.longestBanMs ?? 0) * 1000],
      (ban?.forgetAfterMs ?? 0) * 1000,
    ].join(),
    policyHeader: `"${policy}";q=${capacity};w=${windowSeconds}`,
  };
}
