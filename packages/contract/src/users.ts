import { z } from 'zod';
import { EMAIL_GRAMMAR, normalizeEmail } from './email.ts';
import { id, label } from './fields.ts';

export const role = z.enum(['customer', 'organiser', 'admin']);
export const tier = z.enum(['free', 'pro']);
export type Role = z.infer<typeof role>;
export type Tier = z.infer<typeof tier>;

const toNormalForm = (text: string) => normalizeEmail(text) ?? text;

/** An e-mail address by the grammar of `normalizeEmail`, in its one spelling. */
export const email = z
  .string()
  .max(254)
  .refine((text) => normalizeEmail(text) !== undefined, EMAIL_GRAMMAR)
  .overwrite(toNormalForm);

/** Names an account, in the spelling in which its e-mail is stored. What is no address is the e-mail of no account. */
export const accountEmail = z.string().trim().min(1).max(254).overwrite(toNormalForm);

/** NIST SP 800-63B: length matters, composition rules do not. The upper bound keeps hashing cheap to refuse. */
export const password = z.string().min(8).max(128);

export const registration = z.strictObject({ email, password, name: label });
/** A log-in does not check what a password must look like: a short one is simply wrong. */
export const credentials = z.strictObject({ email: accountEmail, password: z.string().min(1).max(128) });

/** A change of password needs the current one: a stolen session alone must not lock its owner out. */
export const passwordChange = z.strictObject({ currentPassword: z.string().min(1).max(128), newPassword: password });

export const user = z.object({ id, email: z.string(), name: z.string(), role, tier });
export type User = z.infer<typeof user>;
