import { createHmac } from 'node:crypto';
import { deriveKey } from '../keys.ts';

/** 128 bits: no two users share a set of sessions. */
const OWNER_BYTES = 16;

/**
 * Returns the name of a user's set of sessions in Redis: HMAC-SHA-256 of their id, truncated to 22 characters. A list of all
 * keys, as in a backup or a monitor, does not reveal which user is logged in.
 */
export function sessionOwner(appSecret: string, userId: string) {
  const hmac = createHmac('sha256', deriveKey(appSecret, 'session-owner')).update(userId);
  return hmac.digest().toString('base64url', 0, OWNER_BYTES);
}
