import { z } from 'zod';
import { id, instant, label } from './fields.ts';
import { tier } from './users.ts';

export const newApiKey = z.strictObject({ name: label });

export const apiKey = z.object({
  id,
  name: z.string(),
  /** The first characters, by which users recognise their keys. */
  prefix: z.string(),
  createdAt: instant,
  /** The tier that an operator gave to this key alone. Null: it spends its user's budget, as the user's other keys do. */
  tier: tier.nullable(),
});

export const apiKeyChange = z.strictObject({ tier: tier.nullable() });
export type ApiKey = z.infer<typeof apiKey>;

/** The only response that contains the key itself, for `Authorization: Bearer mt_…`. */
export const createdApiKey = apiKey.extend({ key: z.string() });
