import { createHmac, timingSafeEqual } from 'node:crypto';

/** Replay protection: a signature older than this, or this far in the future, is rejected. */
const TOLERANCE_MS = 5 * 60_000;

/** Returns a webhook's signature header: `t=<seconds>,v1=<HMAC-SHA-256 of "<seconds>.<body>">`. */
export function signWebhook(body: string | Buffer, key: Buffer, now: Date) {
  const seconds = Math.floor(now.getTime() / 1000);
  return `t=${seconds},v1=${digest(seconds, body, key).toString('hex')}`;
}

/** Returns whether one of these keys signed this body recently. Compares in constant time. */
export function isSignedWebhook(header: string | undefined, body: Buffer, keys: readonly Buffer[], now: Date) {
  const [, seconds, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (!seconds || !signature) return false;
  const claimed = Buffer.from(signature, 'hex');
  const matches = keys.filter((key) => timingSafeEqual(digest(Number(seconds), body, key), claimed));
  return matches.length > 0 && Math.abs(now.getTime() - Number(seconds) * 1000) <= TOLERANCE_MS;
}

function digest(seconds: number, body: string | Buffer, key: Buffer) {
  return createHmac('sha256', key).update(`${seconds}.`).update(body).digest();
}
