import type { oneAtATime, Passwords } from '@minitickets/api/passwords';
import type { Redis } from 'ioredis';

const MARKS = 'hashes';

/**
 * Passwords that are hashed where the shipped ones are, by work that leaves a mark in Redis when it begins and one when it ends,
 * in the place of 25 ms of a core. In between it waits for `gate`.
 */
export function markedHashing(redis: Redis, { inTurn, waiting }: ReturnType<typeof oneAtATime>) {
  let gate = async () => {};
  async function hash() {
    await redis.rpush(MARKS, 'begin');
    await gate();
    await redis.rpush(MARKS, 'end');
  }
  const passwords: Passwords = {
    hash: async (password) => inTurn(hash).then(() => password),
    // Every guess is wrong.
    verify: async () => inTurn(hash).then(() => false),
    isOutdated: () => false,
    waiting,
  };
  return {
    passwords,
    /** From now on no hash ends before this is through. */
    holdBy(pass: () => Promise<void>) {
      gate = pass;
    },
    /** How many hashes were begun since the last call, and how many ran at the same moment at most. */
    async takeMarks() {
      const marks = await redis.lrange(MARKS, 0, -1);
      await redis.del(MARKS);
      let [running, together, hashes] = [0, 0, 0];
      for (const mark of marks) {
        running += mark === 'begin' ? 1 : -1;
        if (mark === 'begin') hashes += 1;
        together = Math.max(together, running);
      }
      return { hashes, together };
    },
  };
}
