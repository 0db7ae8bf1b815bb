import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { bucketExplained, suppression } from './limits.ts';
import { tier } from './users.ts';

/** The same limit three times: they differ in what becomes of a request while Redis is away. */
export const playgroundPolicy = z.enum(['playground', 'playground-open', 'playground-closed']);
export type PlaygroundPolicy = z.infer<typeof playgroundPolicy>;

export const playgroundBucketQuery = z.strictObject({
  policy: playgroundPolicy.default('playground'),
  tier: tier.default('free'),
});

/** `cost` in tokens; what costs more than the bucket can hold is refused, and no wait helps. */
export const playgroundQuery = playgroundBucketQuery.extend({
  cost: wholeNumber(1, 100).default(1),
});

/** What one request of the playground found. */
export const playgroundAnswer = z.object({
  policy: playgroundPolicy,
  tier,
  /** The numbers are missing while Redis is away: then a task decides alone. */
  capacity: z.int().optional(),
  remaining: z.int().optional(),
  nextTokenMs: z.number().optional(),
  fullMs: z.number().optional(),
  degraded: z.enum(['open', 'local']).optional(),
});

/** The caller's own bucket, and the rule by which its strikes become bans. */
export const playgroundBucket = bucketExplained.extend({ suppression: suppression.nullable() });
export type PlaygroundBucket = z.infer<typeof playgroundBucket>;
