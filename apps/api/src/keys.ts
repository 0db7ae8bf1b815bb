import { hkdfSync } from 'node:crypto';

/** The purpose of a derived key. Each purpose has its own key, so that a signature for one never verifies for another. */
export type KeyPurpose =
  | 'api-key'
  | 'limit-identity'
  | 'session-owner'
  | 'ticket-code'
  | 'trusted-device'
  | 'webhook-signature';

/** Derives a purpose's 32-byte key from the application's secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(appSecret: string, purpose: KeyPurpose) {
  return Buffer.from(hkdfSync('sha256', appSecret, '', `minitickets ${purpose}`, 32));
}
