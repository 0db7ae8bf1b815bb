import type { Passwords } from '@minitickets/api/passwords';
import type { Redis } from 'ioredis';

/**
 * Replaces the 25 ms hash by a comparison and counts each verified password in Redis, so that the count is what reached the hash.
 */
export function markedPasswords(redis: Redis) {
  const passwords: Passwords = {
    hash: async (password) => hashOf(password),
    async verify(hash, password) {
      await redis.incr(MARK);
      return hash === hashOf(password);
    },
    isOutdated: () => false,
    waiting: () => 0,
  };
  return { passwords, hashOf, tried: async () => Number(await redis.get(MARK)) };
}

const hashOf = (password: string) => `no hash of ${password}`;
const MARK = 'passwords-tried';
