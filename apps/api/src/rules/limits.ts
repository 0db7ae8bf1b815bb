import type { LimitChange, LimitTier, OnStoreFailure, PolicyName, Suppression } from '@minitickets/contract';
import { fullAfterUs } from './bucket-arithmetic.ts';

/** What a bucket belongs to. `user`: the user, and for who is not logged in the client IP. */
export type IdentityKind = 'ip' | 'user' | 'api-key' | 'account';

/** A policy as it is shipped: whose buckets, and the limit of each tier (`all` for a policy without tiers). */
type Policy = {
  identity: IdentityKind;
  /** Why these numbers, and why this answer while Redis is away. */
  because: string;
  limits: { all: LimitChange } | { free: LimitChange; pro: LimitChange };
};

// #region ladder
/**
 * Who sends a hundred requests more than it is served has no use for the answers. Fewer would ban an office whose people all
 * log in at nine, and who come back when they were told to.
 */
const hammering: Suppression = {
  strikes: 100,
  firstBanMs: 5_000,
  growth: 2,
  longestBanMs: 15 * 60_000,
  forgetAfterMs: 30 * 60_000,
};
// #endregion

const perSecond = { refillIntervalMs: 1000, suppression: null, shadow: false };

/** What all policies of the playground have in common. */
function playground(failing: OnStoreFailure): { free: LimitChange; pro: LimitChange } {
  const ban = { firstBanMs: 3000, growth: 2, longestBanMs: 60_000, forgetAfterMs: 120_000 };
  const common = { ...perSecond, onStoreFailure: failing };
  return {
    free: { ...common, capacity: 10, refillTokens: 1, suppression: { strikes: 15, ...ban } },
    pro: { ...common, capacity: 30, refillTokens: 3, suppression: { strikes: 45, ...ban } },
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
    because: 'Guessing passwords has to be slow from one place. Closed: an unlimited login is an invitation to guess.',
    limits: {
      all: {
        capacity: 20,
        refillTokens: 1,
        refillIntervalMs: 3000,
        onStoreFailure: 'closed',
        suppression: hammering,
        shadow: false,
      },
    },
  },
  // #endregion
  'login-account': {
    identity: 'account',
    because:
      'Guessing one account from many places has to be slow too. Only failures are kept, and nobody is told what is left. More than one address is given, so that alone it locks nobody out; fewer than the 100 failures that NIST SP 800-63B allows.',
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
    limits: { all: { ...perSecond, capacity: 300, refillTokens: 5, onStoreFailure: 'closed' } },
  },
  booking: {
    identity: 'user',
    because: 'A person clicks, a bot sweeps. Closed: without a limit the first bot buys the house.',
    limits: {
      free: { ...perSecond, capacity: 10, refillTokens: 1, onStoreFailure: 'closed', suppression: hammering },
      pro: { ...perSecond, capacity: 30, refillTokens: 3, onStoreFailure: 'closed', suppression: hammering },
    },
  },
  payment: {
    identity: 'user',
    because:
      'Generous: each try asks the provider, and a card that was declined is tried again. Local: who holds places may pay for them while Redis is away.',
    limits: {
      free: { ...perSecond, capacity: 30, refillTokens: 1, onStoreFailure: 'local', suppression: hammering },
      pro: { ...perSecond, capacity: 90, refillTokens: 3, onStoreFailure: 'local', suppression: hammering },
    },
  },
  reads: {
    identity: 'user',
    because: 'Reading is cheap and the shop window should be open: while Redis is away reads are served.',
    limits: {
      free: { ...perSecond, capacity: 600, refillTokens: 200, onStoreFailure: 'open' },
      pro: { ...perSecond, capacity: 1200, refillTokens: 400, onStoreFailure: 'open' },
    },
  },
  'api-key': {
    identity: 'api-key',
    because: 'Programs take turns. Local: partners go on working while Redis is away, each task giving its share.',
    limits: {
      free: { ...perSecond, capacity: 60, refillTokens: 10, onStoreFailure: 'local', suppression: hammering },
      pro: { ...perSecond, capacity: 300, refillTokens: 50, onStoreFailure: 'local', suppression: hammering },
    },
  },
  'api-key-making': {
    identity: 'user',
    because:
      'A new key has a full bucket: made and revoked without end, keys would be a way around their limit. Closed: nobody needs one this minute.',
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
    limits: {
      all: {
        capacity: 20,
        refillTokens: 1,
        refillIntervalMs: 3000,
        onStoreFailure: 'closed',
        suppression: hammering,
        shadow: false,
      },
    },
  },
  playground: {
    identity: 'user',
    because: 'For trying the limiter: small enough to empty by hand, with a ban that one can wait for.',
    limits: playground('local'),
  },
  'playground-open': {
    identity: 'user',
    because: 'The same limit, to see what “open” means: while Redis is away everything is served.',
    limits: playground('open'),
  },
  'playground-closed': {
    identity: 'user',
    because: 'The same limit, to see what “closed” means: while Redis is away everything is refused, and nobody waits.',
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
      ...[capacity, refillTokens, refillIntervalMs, revision, shadow ? 0 : 1, ban?.strikes ?? 0],
      ...[(ban?.firstBanMs ?? 0) * 1000, ban?.growth ?? 1, (ban?.longestBanMs ?? 0) * 1000],
      (ban?.forgetAfterMs ?? 0) * 1000,
    ]),
    policyHeader: `"${policy}";q=${capacity};w=${windowSeconds}`,
  };
}
