import type { LimitChange, LimitTier, OnStoreFailure, PolicyName, Suppression } from '@minitickets/contract';

/**
 * Who owns the bucket. `user`: the user, or the client IP of a visitor who is not logged in. `api-key`: the user whose key it is.
 * Under both, a call with an API key has a bucket of the key as well; see `keyLimit`. `network`: all client IPs of one IPv4 /24 or
 * IPv6 /48.
 */
export type IdentityKind = 'ip' | 'network' | 'user' | 'api-key' | 'account';

/** An account is new for a day: the time in which many accounts of one address are one person's more often than not. */
export const NEW_ACCOUNT_MS = 24 * 3_600_000;

/** A policy as shipped: its identity, and the limit of each tier (`all` for a policy without tiers). */
type Policy = {
  identity: IdentityKind;
  /** Why these numbers, and why this failure mode during a Redis outage. */
  because: string;
  /**
   * How far ahead refusals promise slots to a crowd that arrives at once, in addition to the policy's strikes. Zero where an
   * identity has one owner, or where a stranger's failures must not delay the owner.
   */
  promiseHorizonMs: number;
  /** A policy that every call spends from as well: all of its buckets are charged, or none. */
  standsOn?: PolicyName;
  /** The same, for calls of new accounts of the tier `free`: an operator vouches for whoever has another tier. */
  newAccountsStandOn?: PolicyName;
  limits: { all: LimitChange } | { free: LimitChange; pro: LimitChange };
};

// #region ladder
/**
 * An identity with one owner, whose programs decide how many calls wait concurrently. `strikes` is the number of tokens that
 * refused calls may be waiting for; forty workers that obey Retry-After wait for at most forty.
 */
const ownedBy = (strikes: number): Suppression => ({
  strikes,
  firstBanMs: 5_000,
  growth: 2,
  longestBanMs: 15 * 60_000,
  forgetAfterMs: 30 * 60_000,
});

/**
 * An address that an office may share (NAT): 150 people may wait for their turn. Bans stay short, because everyone behind the
 * address waits for their end: at most twice as long as log-in's bucket takes to fill. With shorter bans a retry loop would
 * lose nothing; with bans of 15 minutes its colleagues would wait twice as long.
 */
const sharedAddress: Suppression = {
  strikes: 150,
  firstBanMs: 30_000,
  growth: 2,
  longestBanMs: 2 * 60_000,
  forgetAfterMs: 30 * 60_000,
};
// #endregion

const plain = { suppression: null, shadow: false };
const perSecond = { ...plain, refillIntervalMs: 1000 };

/** The limits that all policies of the playground share. */
function playground(failing: OnStoreFailure): { free: LimitChange; pro: LimitChange } {
  const ban = { firstBanMs: 3000, growth: 2, longestBanMs: 60_000, forgetAfterMs: 120_000 };
  const common = { ...perSecond, onStoreFailure: failing };
  return {
    free: { ...common, capacity: 10, refillTokens: 1, suppression: { strikes: 45, ...ban } },
    pro: { ...common, capacity: 30, refillTokens: 3, suppression: { strikes: 135, ...ban } },
  };
}

/**
 * Every limit of the product; a route names a row. A row of `limit_overrides` in PostgreSQL replaces a limit in every task
 * without a restart.
 */
export const policies = {
  // #region login
  login: {
    identity: 'ip',
    because:
      'Slows down password guessing from one address. The address may belong to an office or a school: a thousand people who arrive at once are each promised a slot. Closed: an unlimited log-in invites guessing.',
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
      'Slows down guessing one account from many addresses (credential stuffing). Only failures count. It is larger than the limit of one address, so that one address alone cannot lock an account; a hard cap of 100 consecutive failures stands behind it (NIST SP 800-63B).',
    promiseHorizonMs: 0,
    limits: {
      all: { ...plain, capacity: 50, refillTokens: 1, refillIntervalMs: 60_000, onStoreFailure: 'closed' },
    },
  },
  // #region registration
  registration: {
    identity: 'ip',
    because:
      'Accounts are cheap, and many of them multiply every limit by user (a Sybil attack). A family or a table of friends registers at once; a class of thirty is in within ten minutes; a farm gets 1,460 accounts a day instead of 432,000. Closed: opening an account can wait.',
    promiseHorizonMs: 3_600_000,
    standsOn: 'registration-network',
    limits: {
      all: { ...plain, capacity: 20, refillTokens: 1, refillIntervalMs: 60_000, onStoreFailure: 'closed' },
    },
  },
  'registration-network': {
    identity: 'network',
    because:
      'One IPv6 customer may have 65,536 client IPs (a /48 of /64 networks), and IPv4 addresses are rented by the /24. Ten times the limit of one address: more than a campus or a carrier needs in one network. Closed, as registration is.',
    promiseHorizonMs: 600_000,
    limits: {
      all: { ...plain, capacity: 200, refillTokens: 10, refillIntervalMs: 60_000, onStoreFailure: 'closed' },
    },
  },
  // #endregion
  'registered-emails': {
    identity: 'ip',
    because:
      'Registration cannot hide that an e-mail has an account: the registrant is let in at once, and no e-mail is sent. So learning it is limited. Only registrations that meet an account are kept, and when they are used up every registration from there is refused alike. Closed, as registration is.',
    promiseHorizonMs: 0,
    limits: {
      all: { ...plain, capacity: 10, refillTokens: 1, refillIntervalMs: 300_000, onStoreFailure: 'closed' },
    },
  },
  'password-change': {
    identity: 'user',
    because:
      'It tries the current password, so a stolen session must not guess by it. Closed: nobody needs a new password this minute.',
    promiseHorizonMs: 0,
    limits: {
      all: { ...plain, capacity: 10, refillTokens: 1, refillIntervalMs: 60_000, onStoreFailure: 'closed' },
    },
  },
  // #region booking
  booking: {
    identity: 'user',
    because:
      'Enough for a person who clicks, too little for a bot. Closed: without a limit the first bot buys every ticket.',
    promiseHorizonMs: 0,
    newAccountsStandOn: 'new-account-bookings',
    limits: {
      free: { ...perSecond, capacity: 10, refillTokens: 1, onStoreFailure: 'closed', suppression: ownedBy(60) },
      pro: { ...perSecond, capacity: 30, refillTokens: 3, onStoreFailure: 'closed', suppression: ownedBy(180) },
    },
  },
  'new-account-bookings': {
    identity: 'ip',
    because:
      'All accounts younger than a day behind one address book from this together, beneath their own limit: thirty of them get what three older accounts get at once, and then the rate of one. Thirty colleagues who registered today book at the opening at once; the hundredth waits 70 s. Closed, as booking is.',
    promiseHorizonMs: 300_000,
    limits: {
      all: { ...perSecond, capacity: 30, refillTokens: 1, onStoreFailure: 'closed', suppression: sharedAddress },
    },
  },
  // #endregion
  payment: {
    identity: 'user',
    because:
      'Generous, because a buyer retries with another card after a decline; each attempt costs a call to the provider. Local: buyers with a hold can still pay while Redis is down.',
    promiseHorizonMs: 0,
    limits: {
      free: { ...perSecond, capacity: 30, refillTokens: 1, onStoreFailure: 'local', suppression: ownedBy(60) },
      pro: { ...perSecond, capacity: 90, refillTokens: 3, onStoreFailure: 'local', suppression: ownedBy(180) },
    },
  },
  reads: {
    identity: 'user',
    because: 'Reads are cheap. Open: people can still browse events while Redis is down.',
    promiseHorizonMs: 10_000,
    limits: {
      free: { ...perSecond, capacity: 600, refillTokens: 200, onStoreFailure: 'open' },
      pro: { ...perSecond, capacity: 1200, refillTokens: 400, onStoreFailure: 'open' },
    },
  },
  'account-changes': {
    identity: 'user',
    because:
      'Cancelling a booking, logging out and revoking a key are a few writes each. A person does one at a time; a script that cleans up does ten per second. Open: a leaked session or key must be revocable while Redis is down.',
    promiseHorizonMs: 10_000,
    limits: { all: { ...perSecond, capacity: 200, refillTokens: 20, onStoreFailure: 'open' } },
  },
  'event-changes': {
    identity: 'user',
    because:
      'An organiser saves one form at a time; importing a season creates 200 events at once. Each write takes the lock of an event that buyers are waiting for. Local: cancelling an event must not wait for Redis.',
    promiseHorizonMs: 10_000,
    limits: { all: { ...perSecond, capacity: 200, refillTokens: 20, onStoreFailure: 'local' } },
  },
  'check-ins': {
    identity: 'user',
    because:
      'All doors of an event scan as one organiser: 50 doors with one guest per second. The limit stops code guessing and stuck scanners. Open: guests must not wait outside for Redis, and PostgreSQL admits each ticket once anyway.',
    promiseHorizonMs: 10_000,
    limits: { all: { ...perSecond, capacity: 200, refillTokens: 50, onStoreFailure: 'open' } },
  },
  operator: {
    identity: 'user',
    because:
      'The operations page polls five lists per second; twenty tabs of one admin stay below the rate. The policy also limits customers who try these URLs and get 403. Open: operators need these pages most while Redis is down.',
    promiseHorizonMs: 10_000,
    limits: { all: { ...perSecond, capacity: 600, refillTokens: 100, onStoreFailure: 'open' } },
  },
  'api-key': {
    identity: 'api-key',
    because:
      'All programs of a user together; a key that carries a limit of its own has that one instead. Local: while Redis is down partners keep working, each task serving its share.',
    promiseHorizonMs: 0,
    limits: {
      free: { ...perSecond, capacity: 60, refillTokens: 10, onStoreFailure: 'local', suppression: ownedBy(300) },
      pro: { ...perSecond, capacity: 300, refillTokens: 50, onStoreFailure: 'local', suppression: ownedBy(1500) },
    },
  },
  'api-key-making': {
    identity: 'user',
    because:
      'The row of a revoked key stays, so creating and revoking keys in a loop would fill the table. Closed: creating a key can wait.',
    promiseHorizonMs: 0,
    limits: {
      all: { ...plain, capacity: 10, refillTokens: 1, refillIntervalMs: 600_000, onStoreFailure: 'closed' },
    },
  },
  'bad-api-key': {
    identity: 'ip',
    because: 'An unverified key identifies no client, so guessing keys is limited by client IP, like log-in.',
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
  'stray-requests': {
    identity: 'ip',
    because:
      'Requests that no operation serves: unauthenticated (401), unknown URL or method (404, 405), or cross-origin. They are cheap, and office pages poll before anyone has logged in. By client IP, so that they empty no user’s bucket. Open: they have nothing to protect.',
    promiseHorizonMs: 10_000,
    limits: { all: { ...perSecond, capacity: 600, refillTokens: 200, onStoreFailure: 'open' } },
  },
  playground: {
    identity: 'user',
    because: 'For trying out the limiter: small enough to empty by hand, with bans short enough to wait for.',
    promiseHorizonMs: 0,
    limits: playground('local'),
  },
  'playground-open': {
    identity: 'user',
    because: 'The same limit failing open: while Redis is down every request is served.',
    promiseHorizonMs: 0,
    limits: playground('open'),
  },
  'playground-closed': {
    identity: 'user',
    because: 'The same limit failing closed: while Redis is down every request is refused at once.',
    promiseHorizonMs: 0,
    limits: playground('closed'),
  },
} as const satisfies Record<PolicyName, Policy>;

/**
 * Returns the policies that a call spends from when its route names this one: the policy, then those that it stands on. The
 * narrowest is first, so that on a cluster, which charges in turn, a caller without tokens of their own touches no shared bucket.
 */
export function layersOf(
  policy: PolicyName,
  caller: { tier: LimitTier; isNew: boolean } | null | undefined,
): PolicyName[] {
  const { standsOn, newAccountsStandOn }: Policy = policies[policy];
  const isStranger = caller?.isNew === true && caller.tier === 'free';
  return [policy, ...(standsOn ? [standsOn] : []), ...(isStranger && newAccountsStandOn ? [newAccountsStandOn] : [])];
}
