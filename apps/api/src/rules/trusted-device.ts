import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** About as long as people stay logged in on a browser. */
const TRUSTED_MS = 180 * 24 * 3_600_000;
export const TRUSTED_SECONDS = TRUSTED_MS / 1000;

/**
 * Returns a signed device cookie: this device has logged in to this account before. It reveals nothing, is valid for no other
 * account and authenticates nobody. It only moves failures from the account's budget to the device's own, so that strangers
 * who guess passwords cannot lock the owner out.
 * @param account as returned by `accountOf`
 */
export function signDevice(key: Buffer, account: string, nowMs: number) {
  const unsigned = `${randomBytes(16).toString('base64url')}.${nowMs.toString(36)}`;
  return `${unsigned}.${signature(key, account, unsigned).toString('base64url')}`;
}

/** Returns the device's id; null unless one of these keys signed the cookie for this account, within its lifetime. */
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
