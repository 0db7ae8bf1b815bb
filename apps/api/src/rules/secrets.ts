import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns a comparison with a secret in constant time: digests have one length, whatever was sent. */
export function secretMatcher(secret: string) {
  const expected = digestOf(secret);
  return (given: string) => timingSafeEqual(digestOf(given), expected);
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();
