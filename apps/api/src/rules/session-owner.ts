import { createHmac } from 'node:crypto';
import { deriveKey } from '../keys.ts';

/** 128 bits: no two users share a list of sessions. */
const OWNER_BYTES = 16;

/**
 * How the list of a user's sessions is named in Redis: HMAC-SHA-256 of their id, cut to 22 characters. A list of all keys, as
 * a backup or a monitor shows it, says of nobody that they are logged in, or where.
 */
export function sessionOwner(appSecret: string, userId: string) {
  const hmac = createHmac('sha256', deriveKey(appSecret, 'session-owner')).update(userId);
  return hmac.digest().toString('base64url', 0, OWNER_BYTES);
}
