import { z } from 'zod';
import { id, label } from './fields.ts';

export const role = z.enum(['customer', 'organiser', 'admin']);
export const tier = z.enum(['free', 'pro']);
export type Role = z.infer<typeof role>;
export type Tier = z.infer<typeof tier>;

/** Any text up to 254 characters with one @ that a mail server could take (RFC 5321's bound). One account whatever the case. */
export const email = z.string().trim().max(254).pipe(z.email());

/** NIST SP 800-63B: length matters, composition rules do not. The upper bound keeps hashing cheap to refuse. */
export const password = z.string().min(8).max(128);

export const registration = z.strictObject({ email, password, name: label });
/** A log-in says nothing about what a password must look like: a short one is simply wrong. */
export const credentials = z.strictObject({ email: z.string().min(1).max(254), password: z.string().min(1).max(128) });

export const user = z.object({ id, email: z.string(), name: z.string(), role, tier });
export type User = z.infer<typeof user>;
