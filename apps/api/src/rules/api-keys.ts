import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../keys.ts';

/** `mt_` and 32 bytes in base64url. People and secret scanners recognise the prefix. */
const API_KEY = /^mt_([\w-]{43})$/;
const RANDOM_BYTES = 24;
const TAG_BYTES = 8;

/**
 * Issues API keys and recognises those that it has issued: 192 random bits, then 64 bits of their HMAC-SHA-256. The tag keeps
 * forged keys away from the database. It does not authenticate: only PostgreSQL knows whether a key is active, and whose it
 * is.
 */
export function issuesApiKeys({ appSecret, appSecretsBefore }: { appSecret: string; appSecretsBefore: string[] }) {
  const macKeys = [appSecret, ...appSecretsBefore].map((secret) => deriveKey(secret, 'api-key'));
  const [newestKey] = macKeys as [Buffer, ...Buffer[]];
  const tagOf = (random: Buffer, macKey: Buffer) =>
    createHmac('sha256', macKey).update(random).digest().subarray(0, TAG_BYTES);

  return {
    /** Returns a new key. */
    issue() {
      const random = randomBytes(RANDOM_BYTES);
      return `mt_${Buffer.concat([random, tagOf(random, newestKey)]).toString('base64url')}`;
    },
    /** Returns whether the key was issued under the current secret or an older one. */
    isIssued(key: string) {
      const [, encoded] = API_KEY.exec(key) ?? [];
      if (encoded === undefined) return false;
      const bytes = Buffer.from(encoded, 'base64url');
      const [random, tag] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
      return macKeys.some((macKey) => timingSafeEqual(tag, tagOf(random, macKey)));
    },
  };
}
