import { z } from 'zod';
import { id, instant, label } from './fields.ts';

export const newApiKey = z.strictObject({ name: label });

export const apiKey = z.object({
  id,
  name: z.string(),
  /** The first characters, by which users recognise their keys. */
  prefix: z.string(),
  createdAt: instant,
});
export type ApiKey = z.infer<typeof apiKey>;

/** The only response that contains the key itself, for `Authorization: Bearer mt_…`. */
export const createdApiKey = apiKey.extend({ key: z.string() });
