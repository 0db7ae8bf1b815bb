import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** As long as people keep a browser before they are asked for a password again. */
const TRUSTED_MS = 180 * 24 * 3_600_000;
export const TRUSTED_SECONDS = TRUSTED_MS / 1000;

/**
 * Signs the value of a device cookie: this device has once logged in to this account. It says nothing to who reads it, is
 * good for no other account, and proves no identity: it only has failures counted by device instead of by account, so that
 * strangers who guess an account's password cannot lock its owner out.
 * @param account as `accountOf` spells it
 */
export function signDevice(key: Buffer, account: string, nowMs: number) {
  const unsigned = `${randomBytes(16).toString('base64url')}.${nowMs.toString(36)}`;
  return `${unsigned}.${signature(key, account, unsigned).toString('base64url')}`;
}

/** The device's id, or null if the cookie was not signed by us, for this account, within its time. */
export function trustedDevice(keys: readonly Buffer[], account: string, cookie: string, nowMs: number) {
  const [, unsigned, id, issued, signed] = /^(([\w-]{22})\.([0-9a-z]{1,9}))\.([\w-]{43})$/.exec(cookie) ?? [];
  if (!unsigned || !id || !issued || !signed) return null;
  const given = Buffer.from(signed, 'base64url');
  const genuine = keys.some((key) => timingSafeEqual(signature(key, account, unsigned), given));
  const ageMs = nowMs - Number.parseInt(issued, 36);
  return genuine && ageMs < TRUSTED_MS ? id : null;
}

const signature = (key: Buffer, account: string, unsigned: string) =>
  createHmac('sha256', key).update(`${account}\n${unsigned}`).digest();
