import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../keys.ts';

/** `mt_` and 32 bytes in base64url; the prefix lets people and secret scanners recognise a key. */
const API_KEY = /^mt_([\w-]{43})$/;
const RANDOM_BYTES = 24;
const TAG_BYTES = 8;

/**
 * Issues API keys, and recognises those that it has issued: 192 random bits, then 64 bits of their HMAC-SHA-256. The tag keeps
 * made-up keys away from the database. It is no proof of identity: whether a key is live, and whose, PostgreSQL knows.
 */
export function issuesApiKeys({ appSecret, appSecretsBefore }: { appSecret: string; appSecretsBefore: string[] }) {
  const macKeys = [appSecret, ...appSecretsBefore].map((secret) => deriveKey(secret, 'api-key'));
  const [newestKey] = macKeys as [Buffer, ...Buffer[]];
  const tagOf = (random: Buffer, macKey: Buffer) =>
    createHmac('sha256', macKey).update(random).digest().subarray(0, TAG_BYTES);

  return {
    /** Makes a new key. */
    issue() {
      const random = randomBytes(RANDOM_BYTES);
      return `mt_${Buffer.concat([random, tagOf(random, newestKey)]).toString('base64url')}`;
    },
    /** True if the key was issued under one of the secrets, today's or an older one. */
    isIssued(key: string) {
      const [, encoded] = API_KEY.exec(key) ?? [];
      if (encoded === undefined) return false;
      const bytes = Buffer.from(encoded, 'base64url');
      const [random, tag] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
      return macKeys.some((macKey) => timingSafeEqual(tag, tagOf(random, macKey)));
    },
  };
}
