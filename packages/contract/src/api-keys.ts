import { z } from 'zod';
import { id, instant, label } from './fields.ts';

export const newApiKey = z.strictObject({ name: label });

export const apiKey = z.object({
  id,
  name: z.string(),
  /** How the key begins, so that people can tell theirs apart. */
  prefix: z.string(),
  createdAt: instant,
});
export type ApiKey = z.infer<typeof apiKey>;

/** The only answer that holds the key itself: `Authorization: Bearer mt_…`. */
export const createdApiKey = apiKey.extend({ key: z.string() });
