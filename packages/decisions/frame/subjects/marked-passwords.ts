import type { Passwords } from '@minitickets/api/passwords';
import type { Redis } from 'ioredis';

/**
 * Checks passwords in no time, where a hash would take 25 ms of a core, and leaves a mark in Redis of each one that was tried:
 * what got as far as the hash is counted there.
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
