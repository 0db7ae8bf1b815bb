import type { LimitChange, LimitTier, OnStoreFailure, PolicyName, Suppression } from '@minitickets/contract';
import { fullAfterUs } from './bucket-arithmetic.ts';

/** Whose bucket it is. `user`: the user, or the client IP of a visitor who is not logged in. */
export type IdentityKind = 'ip' | 'user' | 'api-key' | 'account';

/** A policy as shipped: whose buckets, and the limit of each tier (`all` for a policy without tiers). */
type Policy = {
  identity: IdentityKind;
  /** Why these numbers, and why this choice for a Redis outage. */
  because: string;
  /**
   * How far ahead refusals promise slots to a crowd that arrives at once, in addition to the policy's strikes. Zero where an
   * identity has one owner, or where a stranger's failures must not push its owner back.
   */
  promiseHorizonMs: number;
  limits: { all: LimitChange } | { free: LimitChange; pro: LimitChange };
};

// #region ladder
/**
 * An identity with one owner: its own programs decide how many calls wait at the same time. `strikes` is the number of tokens
 * that refused calls may be waiting for; forty workers that obey Retry-After wait for at most forty.
 */
const ownedBy = (strikes: number): Suppression => ({
  strikes,
  firstBanMs: 5_000,
  growth: 2,
  longestBanMs: 15 * 60_000,
  forgetAfterMs: 30 * 60_000,
});

/**
 * An address that an office may share: 150 people may wait for their turn. Bans stay short, because everybody behind the
 * address waits for their end: at most twice as long as the bucket of log-in takes to fill. Shorter, and a retry loop would
 * lose nothing; with 15 minutes its colleagues would wait twice as long.
 */
const sharedAddress: Suppression = {
  strikes: 150,
  firstBanMs: 30_000,
  growth: 2,
  longestBanMs: 2 * 60_000,
  forgetAfterMs: 30 * 60_000,
};
// #endregion

const perSecond = { refillIntervalMs: 1000, suppression: null, shadow: false };

/** What all policies of the playground have in common. */
function playground(failing: OnStoreFailure): { free: LimitChange; pro: LimitChange } {
  const ban = { firstBanMs: 3000, growth: 2, longestBanMs: 60_000, forgetAfterMs: 120_000 };
  const common = { ...perSecond, onStoreFailure: failing };
  return {
    free: { ...common, capacity: 10, refillTokens: 1, suppression: { strikes: 45, ...ban } },
    pro: { ...common, capacity: 30, refillTokens: 3, suppression: { strikes: 135, ...ban } },
  };
}

/**
 * Every limit of the product: a route names a row. A row of `limit_overrides` in PostgreSQL takes the place of a limit here,
 * in every task, while they run.
 */
export const policies = {
  // #region login
  login: {
    identity: 'ip',
    because:
      'Guessing passwords has to be slow from one place. An address may be an office or a school: a thousand people who arrive at once are promised a slot each. Closed: an unlimited login is an invitation to guess.',
    promiseHorizonMs: 3_600_000,
    limits: {
      all: {
        capacity: 20,
        refillTokens: 1,
        refillIntervalMs: 3000,
        onStoreFailure: 'closed',
        suppression: sharedAddress,
        shadow: false,
      },
    },
  },
  // #endregion
  'login-account': {
    identity: 'account',
    because:
      'Guessing one account from many places has to be slow too. Only failures are kept, and nobody is told what is left. More than one address is given, so that alone it locks nobody out; fewer than the 100 failures that NIST SP 800-63B allows.',
    promiseHorizonMs: 0,
    limits: {
      all: {
        capacity: 50,
        refillTokens: 1,
        refillIntervalMs: 60_000,
        onStoreFailure: 'closed',
        suppression: null,
        shadow: false,
      },
    },
  },
  registration: {
    identity: 'ip',
    because: 'Generous, for a school or an office behind one address: the password queue bounds what hashing costs.',
    promiseHorizonMs: 600_000,
    limits: { all: { ...perSecond, capacity: 300, refillTokens: 5, onStoreFailure: 'closed' } },
  },
  booking: {
    identity: 'user',
    because: 'A person clicks, a bot sweeps. Closed: without a limit the first bot buys the house.',
    promiseHorizonMs: 0,
    limits: {
      free: { ...perSecond, capacity: 10, refillTokens: 1, onStoreFailure: 'closed', suppression: ownedBy(60) },
      pro: { ...perSecond, capacity: 30, refillTokens: 3, onStoreFailure: 'closed', suppression: ownedBy(180) },
    },
  },
  payment: {
    identity: 'user',
    because:
      'Generous: each try asks the provider, and a card that was declined is tried again. Local: who holds places may pay for them while Redis is away.',
    promiseHorizonMs: 0,
    limits: {
      free: { ...perSecond, capacity: 30, refillTokens: 1, onStoreFailure: 'local', suppression: ownedBy(60) },
      pro: { ...perSecond, capacity: 90, refillTokens: 3, onStoreFailure: 'local', suppression: ownedBy(180) },
    },
  },
  reads: {
    identity: 'user',
    because: 'Reading is cheap and the shop window should be open: while Redis is away reads are served.',
    promiseHorizonMs: 10_000,
    limits: {
      free: { ...perSecond, capacity: 600, refillTokens: 200, onStoreFailure: 'open' },
      pro: { ...perSecond, capacity: 1200, refillTokens: 400, onStoreFailure: 'open' },
    },
  },
  'api-key': {
    identity: 'api-key',
    because: 'Programs take turns. Local: partners go on working while Redis is away, each task giving its share.',
    promiseHorizonMs: 0,
    limits: {
      free: { ...perSecond, capacity: 60, refillTokens: 10, onStoreFailure: 'local', suppression: ownedBy(300) },
      pro: { ...perSecond, capacity: 300, refillTokens: 50, onStoreFailure: 'local', suppression: ownedBy(1500) },
    },
  },
  'api-key-making': {
    identity: 'user',
    because:
      'A new key has a full bucket: made and revoked without end, keys would be a way around their limit. Closed: nobody needs one this minute.',
    promiseHorizonMs: 0,
    limits: {
      all: {
        capacity: 10,
        refillTokens: 1,
        refillIntervalMs: 600_000,
        onStoreFailure: 'closed',
        suppression: null,
        shadow: false,
      },
    },
  },
  'bad-api-key': {
    identity: 'ip',
    because: 'A key that was not verified is nobody’s. Guessing keys is limited where it comes from, as logging in is.',
    promiseHorizonMs: 600_000,
    limits: {
      all: {
        capacity: 20,
        refillTokens: 1,
        refillIntervalMs: 3000,
        onStoreFailure: 'closed',
        suppression: sharedAddress,
        shadow: false,
      },
    },
  },
  playground: {
    identity: 'user',
    because: 'For trying the limiter: small enough to empty by hand, with a ban that one can wait for.',
    promiseHorizonMs: 0,
    limits: playground('local'),
  },
  'playground-open': {
    identity: 'user',
    because: 'The same limit, to see what “open” means: while Redis is away everything is served.',
    promiseHorizonMs: 0,
    limits: playground('open'),
  },
  'playground-closed': {
    identity: 'user',
    because: 'The same limit, to see what “closed” means: while Redis is away everything is refused, and nobody waits.',
    promiseHorizonMs: 0,
    limits: playground('closed'),
  },
} as const satisfies Record<PolicyName, Policy>;

/** A limit that calls are measured by, with what is derived from it once instead of on every call. */
export type Limit = LimitChange & {
  policy: PolicyName;
  tier: LimitTier;
  /** Of the table of limits: who has heard of a newer one is not overruled by who has not. */
  revision: number;
  /** The limit as `rate-limits.lua` reads it. */
  forScript: string;
  /** The limit as a member of `RateLimit-Policy`. */
  policyHeader: string;
};

/** The limits in force in a task: the shipped ones, and what overrides them. */
export type LimitTable = {
  revision: number;
  limits: readonly Limit[];
  of: (policy: PolicyName, tier: LimitTier) => Limit;
};

export type LimitOverride = LimitChange & { policy: string; tier: string };

/** The limit that a policy comes with; undefined if it has none for this tier. */
export function shippedLimit(policy: PolicyName, tier: LimitTier): LimitChange | undefined {
  return (policies[policy].limits as Partial<Record<LimitTier, LimitChange>>)[tier];
}

/** The part of a limit that can be changed. */
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

/** @throws RangeError for numbers that cannot be a limit; `limitChange` of the contract says why to people */
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
