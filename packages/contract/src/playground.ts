import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { bucketExplained, suppression } from './limits.ts';
import { shippedTier } from './users.ts';

/** The same limit three times, with different failure modes while Redis is down. */
export const playgroundPolicy = z.enum(['playground', 'playground-open', 'playground-closed']);
export type PlaygroundPolicy = z.infer<typeof playgroundPolicy>;

export const playgroundBucketQuery = z.strictObject({
  policy: playgroundPolicy.default('playground'),
  /** The limit to try, on the caller's one bucket. By default the caller's own. */
  tier: shippedTier.optional(),
});

/** `cost` in tokens; a cost above the capacity is refused, because waiting does not help. */
export const playgroundQuery = playgroundBucketQuery.extend({
  cost: wholeNumber(1, 100).default(1),
});

/** The outcome of one playground request. */
export const playgroundAnswer = z.object({
  policy: playgroundPolicy,
  /** Whose numbers applied: a tier's, or `own` for a limit of this caller alone. */
  tier: z.string(),
  /** Numbers are absent while Redis is down, because a task then decides alone. */
  capacity: z.int().optional(),
  remaining: z.int().optional(),
  nextTokenMs: z.number().optional(),
  fullMs: z.number().optional(),
  degraded: z.enum(['open', 'local']).optional(),
});

/** The caller's own bucket, and the rule that turns strikes into bans. */
export const playgroundBucket = bucketExplained.extend({ suppression: suppression.nullable() });
export type PlaygroundBucket = z.infer<typeof playgroundBucket>;
