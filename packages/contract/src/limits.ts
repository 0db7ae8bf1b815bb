import { z } from 'zod';
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
 * A short ban for identities that keep hammering an empty bucket. Every refused call is a strike, every served one takes a
 * strike back; `strikes` of them make a ban. The first lasts `firstBanMs`, each further one `growth` times as long, up to
 * `longestBanMs`. After `forgetAfterMs` without a refused call all is forgotten.
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
