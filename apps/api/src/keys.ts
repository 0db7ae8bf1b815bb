import { hkdfSync } from 'node:crypto';

/** What a derived key is for. One purpose, one key: a signature made for one can never pass as another. */
export type KeyPurpose =
  | 'api-key'
  | 'limit-identity'
  | 'session-owner'
  | 'ticket-code'
  | 'trusted-device'
  | 'webhook-signature';

/** Derives the 32-byte key of a purpose from the application's secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(appSecret: string, purpose: KeyPurpose) {
  return Buffer.from(hkdfSync('sha256', appSecret, '', `minitickets ${purpose}`, 32));
}
