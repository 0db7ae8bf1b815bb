import { z } from 'zod';
import { id, instant, wholeNumber } from './fields.ts';
import { tier } from './users.ts';

const DAY_MS = 86_400_000;

/** A policy without tiers has one limit, for all. */
export const limitTier = z.enum([...tier.options, 'all']);
export type LimitTier = z.infer<typeof limitTier>;

/**
 * What happens to a request while Redis is away: `closed` refuses it (503), `open` serves it, `local` lets each task enforce
 * its share of the limit from its own memory.
 */
export const onStoreFailure = z.enum(['closed', 'open', 'local']);
export type OnStoreFailure = z.infer<typeof onStoreFailure>;

/**
 * A short, exponential ban for clients that ignore `Retry-After`. Each refusal promises the next free slot, so clients that obey
 * wait for one slot each; a client that retries early collects more and more of them. A strike is a promised slot that is still
 * to come, counted in tokens; slots promised within the first seconds of a crowd are exempt. `strikes` of them make a ban. The
 * first lasts `firstBanMs`, each further one `growth` times as long, up to `longestBanMs`; `forgetAfterMs` after the end of the
 * last ban all is forgotten.
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

/** Within these bounds every sum of the limiter is a whole number below 2^53, and no bucket lives longer than its month. */
const capacity = z.int().min(1).max(1_000_000);
const refillTokens = z.int().min(1).max(1_000_000);
const refillIntervalMs = z.int().min(1).max(DAY_MS);
const LONGEST_REFILL_MS = 31 * DAY_MS;

/** The numbers of a limit: `refillTokens` flow back, evenly, in every `refillIntervalMs`, up to `capacity`. */
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
    ({ capacity, refillTokens, refillIntervalMs }) => (capacity / refillTokens) * refillIntervalMs <= LONGEST_REFILL_MS,
    {
      path: ['refillTokens'],
      message: 'an empty bucket has to be full again within 31 days',
    },
  );
export type LimitChange = z.infer<typeof limitChange>;

/** A limit as operators see it. `shipped`: nobody has changed it. */
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
  /** Whose buckets: client IP, user (or IP, for who is not logged in), API key, account that is logged in to. */
  identity: z.enum(['ip', 'user', 'api-key', 'account']),
  /** Why the shipped limit is as it is. */
  because: z.string(),
});
export type LimitView = z.infer<typeof limit>;

const numbers = z.object(limitChange.shape);

/** Who changed a limit, when, from what, to what. */
export const recordedLimitChange = z.object({
  id: z.int(),
  policy: z.string(),
  tier: z.string(),
  changedBy: id,
  changedAt: instant,
  before: numbers,
  after: numbers,
});

export const activityQuery = z.strictObject({
  minutes: wholeNumber(1, 15).default(5),
  most: wholeNumber(1, 100).default(20),
});

const busyBucket = z.object({ policy: z.string(), bucket: z.string(), count: z.int() });

/** What all tasks decided over the last minutes. Identities are shown as the names of their buckets, which are hashes. */
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

/** Decisions of one policy by interval, the oldest first. */
const policySeries = z.object({
  policy: z.string(),
  allowed: z.array(z.int()),
  throttled: z.array(z.int()),
  suppressed: z.array(z.int()),
  degraded: z.array(z.int()),
});

/** What all tasks decided, interval by interval. Intervals are whole, and begin and end by Redis's clock. */
export const limitActivitySeries = z.object({
  intervalSeconds: z.int(),
  /** The end of the last interval. What is going on since is left out: tasks report it each second. */
  until: instant,
  /** How many values each list has. */
  intervals: z.int(),
  policies: z.array(policySeries),
});
export type LimitActivitySeries = z.infer<typeof limitActivitySeries>;

/** Why a bucket serves or refuses. Instants are Redis's, whose clock is the only one that decides. */
export const bucketExplained = z.object({
  policy: z.string(),
  bucket: z.string(),
  /** `absent`: the bucket is full and nothing is remembered. `unreadable`: it counts as empty, and mends itself. */
  state: z.enum(['absent', 'stored', 'unreadable']),
  /** The limit that the bucket was last counted under. Null if there is none. */
  limit: z
    .object({ capacity: z.int(), refillTokens: z.int(), refillIntervalMs: z.int(), revision: z.int() })
    .nullable(),
  /** With the fraction that is not yet a token. Null if it cannot be read, or is full. */
  tokens: z.number().nullable(),
  fullAt: instant.nullable(),
  /** When a call that costs one token is served; null if that is now. */
  nextAllowedAt: instant.nullable(),
  strikes: z.int(),
  /** How many bans there were, the running one included. */
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
