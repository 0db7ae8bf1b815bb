import { z } from 'zod';
import { EMAIL_GRAMMAR, normalizeEmail } from './email.ts';
import { id, label } from './fields.ts';

export const role = z.enum(['customer', 'organiser', 'admin']);
/** The tiers that every installation has. Operators add others. */
export const shippedTier = z.enum(['free', 'pro']);
/** The name of a tier. `all` and `own` are what limits without a tier are called. */
export const tier = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,29}$/, 'up to 30 lower-case letters, digits and hyphens, starting with a letter')
  .refine((name) => name !== 'all' && name !== 'own', '“all” and “own” are not names of tiers');
export type Role = z.infer<typeof role>;
export type ShippedTier = z.infer<typeof shippedTier>;
export type Tier = z.infer<typeof tier>;

const toNormalForm = (text: string) => normalizeEmail(text) ?? text;

/** A valid e-mail address, normalized by `normalizeEmail`. */
export const email = z
  .string()
  .max(254)
  .refine((text) => normalizeEmail(text) !== undefined, EMAIL_GRAMMAR)
  .overwrite(toNormalForm);

/** Identifies an account by its normalized e-mail address. An invalid address belongs to no account. */
export const accountEmail = z.string().trim().min(1).max(254).overwrite(toNormalForm);

/** NIST SP 800-63B: length matters, composition rules do not. The upper bound keeps hashing cheap to refuse. */
export const password = z.string().min(8).max(128);

export const registration = z.strictObject({ email, password, name: label });
/** Log-in does not check the password rules: a short password is simply wrong. */
export const credentials = z.strictObject({ email: accountEmail, password: z.string().min(1).max(128) });

/** A change of password needs the current one: a stolen session alone must not lock its owner out. */
export const passwordChange = z.strictObject({ currentPassword: z.string().min(1).max(128), newPassword: password });

export const user = z.object({ id, email: z.string(), name: z.string(), role, tier });
export type User = z.infer<typeof user>;
