import { z } from 'zod';
import { id, instant, wholeNumber } from './fields.ts';
import { shippedTier, tier } from './users.ts';

const DAY_MS = 86_400_000;

/** A policy without tiers has one limit, `all`. */
export const limitTier = z.union([tier, z.literal('all')]);
export type LimitTier = z.infer<typeof limitTier>;

/**
 * The failure mode while Redis is down: `closed` refuses the request (503), `open` serves it, `local` lets each task enforce
 * its share of the limit from its own memory.
 */
export const onStoreFailure = z.enum(['closed', 'open', 'local']);
export type OnStoreFailure = z.infer<typeof onStoreFailure>;

/**
 * An exponential ban for clients that ignore `Retry-After` (penalty box). Each refusal promises the next free slot, so a
 * client that obeys waits for one slot; a client that retries early collects more and more of them. A strike is a promised
 * slot that is still in the future, counted in tokens; slots promised within the first seconds of a crowd are exempt.
 * `strikes` of them start a ban. The first lasts `firstBanMs`, each further one `growth` times as long, up to `longestBanMs`;
 * `forgetAfterMs` after the end of the last ban all bans are forgotten.
 */
export const suppression = z
  .strictObject({
    strikes: z.int().min(1).max(10_000),
    firstBanMs: z.int().min(1).max(DAY_MS),
    growth: z.int().min(1).max(10),
    longestBanMs: z.int().min(1).max(DAY_MS),
    forgetAfterMs: z.int().min(1).max(DAY_MS),
  })
  .refine(({ firstBanMs, longestBanMs }) => firstBanMs <= longestBanMs, {
    path: ['longestBanMs'],
    message: 'at least the first ban',
  });
export type Suppression = z.infer<typeof suppression>;

/** Within these bounds every sum of the limiter is an integer below 2^53, and every bucket expires within a month. */
const capacity = z.int().min(1).max(1_000_000);
const refillTokens = z.int().min(1).max(1_000_000);
const refillIntervalMs = z.int().min(1).max(DAY_MS);
const MAX_REFILL_MS = 31 * DAY_MS;

/** The numbers of a limit: `refillTokens` flow back evenly in every `refillIntervalMs`, up to `capacity`. */
export const limitChange = z
  .strictObject({
    capacity,
    refillTokens,
    refillIntervalMs,
    onStoreFailure,
    suppression: suppression.nullable(),
    shadow: z.boolean(),
  })
  .refine(({ capacity, refillIntervalMs }) => capacity * refillIntervalMs * 1000 <= Number.MAX_SAFE_INTEGER, {
    path: ['capacity'],
    message: 'too large for so long an interval: capacity × refillIntervalMs must be at most 9007199254740',
  })
  .refine(
    ({ capacity, refillTokens, refillIntervalMs }) => (capacity / refillTokens) * refillIntervalMs <= MAX_REFILL_MS,
    {
      path: ['refillTokens'],
      message: 'an empty bucket has to be full again within 31 days',
    },
  );
export type LimitChange = z.infer<typeof limitChange>;

/** A limit for operators. `shipped`: it has no override. */
export const limit = z.object({
  policy: z.string(),
  tier: limitTier,
  capacity: z.int(),
  refillTokens: z.int(),
  refillIntervalMs: z.int(),
  onStoreFailure,
  suppression: suppression.nullable(),
  shadow: z.boolean(),
  shipped: z.boolean(),
  /** The owner of a bucket: client IP, its network, user (or IP if not logged in), API key, or the account of a log-in. */
  identity: z.enum(['ip', 'network', 'user', 'api-key', 'account']),
  /** The reason for the shipped numbers. */
  because: z.string(),
});
export type LimitView = z.infer<typeof limit>;

/** An added tier takes the limits of the tier that it is based on, except those that an operator changes. */
export const tierChange = z.strictObject({ basedOn: shippedTier });
/** A tier for operators. `shipped`: every installation has it, and it cannot be removed. */
export const tierView = z.object({ name: tier, basedOn: shippedTier, shipped: z.boolean() });
export type TierView = z.infer<typeof tierView>;

/** One identity that an operator can give a limit of its own: `user:<id>`, `key:<id>`, `ip:<address>`. */
export const limitedIdentity = z.string().regex(/^(user|key|ip):.{1,254}$/, 'user:<id>, key:<id> or ip:<address>');
/** The limit of a single identity under a policy, instead of its tier's. */
export const identityLimit = z.object({ policy: z.string(), identity: z.string(), ...limitChange.shape });
export type IdentityLimit = z.infer<typeof identityLimit>;

const numbers = z.object(limitChange.shape);
const given = z.object({ tier: z.string().nullable() });

/** Who changed what about the limits, and when. Null before: it was added; null after: it was removed. */
const recorded = z.object({ id: z.int(), changedBy: id, changedAt: instant });
export const recordedLimitChange = z.discriminatedUnion('kind', [
  /** The limit of a tier, or of one identity. */
  recorded.extend({
    kind: z.literal('limit'),
    policy: z.string(),
    tier: z.string().nullable(),
    identity: z.string().nullable(),
    before: numbers.nullable(),
    after: numbers.nullable(),
  }),
  /** A tier itself. */
  recorded.extend({
    kind: z.literal('tier'),
    tier: z.string(),
    before: tierChange.nullable(),
    after: tierChange.nullable(),
  }),
  /** The tier of a user, or of one API key. */
  recorded.extend({ kind: z.literal('given'), identity: z.string(), before: given, after: given }),
]);
export type RecordedLimitChange = z.infer<typeof recordedLimitChange>;

export const activityQuery = z.strictObject({
  minutes: wholeNumber(1, 15).default(5),
  most: wholeNumber(1, 100).default(20),
});

const busyBucket = z.object({ policy: z.string(), bucket: z.string(), count: z.int() });

/** The decisions of all tasks over the last minutes. Identities appear as the names of their buckets, which are hashes. */
export const limitActivity = z.object({
  minutes: z.int(),
  policies: z.array(
    z.object({ policy: z.string(), allowed: z.int(), throttled: z.int(), suppressed: z.int(), degraded: z.int() }),
  ),
  mostRefused: z.array(busyBucket),
  mostSuppressed: z.array(busyBucket),
  tasks: z.int(),
});
export type LimitActivity = z.infer<typeof limitActivity>;

export const activitySeriesQuery = z.strictObject({
  minutes: wholeNumber(1, 15).default(5),
});

/** Decisions of one policy by interval, oldest first. */
const policySeries = z.object({
  policy: z.string(),
  allowed: z.array(z.int()),
  throttled: z.array(z.int()),
  suppressed: z.array(z.int()),
  degraded: z.array(z.int()),
});

/** The decisions of all tasks by interval. Intervals are complete and aligned to Redis's clock. */
export const limitActivitySeries = z.object({
  intervalSeconds: z.int(),
  /** The end of the last interval. The current one is left out: tasks report every second. */
  until: instant,
  /** The length of each list. */
  intervals: z.int(),
  policies: z.array(policySeries),
});
export type LimitActivitySeries = z.infer<typeof limitActivitySeries>;

/** Explains why a bucket allows or refuses. Instants are by Redis's clock, which alone decides. */
export const bucketExplained = z.object({
  policy: z.string(),
  bucket: z.string(),
  /** `absent`: the bucket is full and not stored. `unreadable`: it is corrupt, counts as empty, and repairs itself. */
  state: z.enum(['absent', 'stored', 'unreadable']),
  /** The limit of the bucket's last call. Null if there is none. */
  limit: z
    .object({ capacity: z.int(), refillTokens: z.int(), refillIntervalMs: z.int(), revision: z.int() })
    .nullable(),
  /** Includes the fraction of a token. Null if it is unreadable or full. */
  tokens: z.number().nullable(),
  fullAt: instant.nullable(),
  /** When a call of one token is served; null if that is now. */
  nextAllowedAt: instant.nullable(),
  strikes: z.int(),
  /** The number of bans, including the running one. */
  bans: z.int(),
  bannedUntil: instant.nullable(),
  forgottenAt: instant.nullable(),
  expiresAt: instant.nullable(),
  clock: z.object({ source: z.literal('redis'), now: instant, taskIsAheadByMs: z.number() }),
});
export type BucketExplained = z.infer<typeof bucketExplained>;

/** A bucket's name, or the identity that it belongs to: `user:<id>`, `key:<id>`, `ip:<address>`, `account:<e-mail>`. */
export const bucketOrIdentity = z
  .string()
  .regex(/^([\w-]{22}|(user|key|ip|account):.{1,254})$/, 'a bucket or an identity');
