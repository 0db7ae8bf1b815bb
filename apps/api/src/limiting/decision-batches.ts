import type { RedisConnection } from '../db/redis.ts';
import { costOf, type Decision, decideTogether, type Take, takeToken, takeTokens } from '../queries/rate-limits.ts';

/** A script that decides on so many calls takes Redis a quarter of a millisecond; nobody else's command waits for longer. */
const MOST_CALLS = 50;

type Waiting = { takes: readonly Take[]; resolve: (decisions: Decision[]) => void; reject: (error: unknown) => void };

/**
 * Decisions of one turn of the event loop, asked for together. On the way to Redis a call costs more than the decision
 * itself; a busy task has several in each turn, and they share it. There is no timer: the turn ends, and what has come is
 * sent. A call that comes alone waits for nothing.
 * @returns a function that takes from all of these buckets, or from none
 */
export function batchDecisions(redis: RedisConnection) {
  let waiting: Waiting[] = [];

  function send() {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    decideTogether(
      redis,
      calls.map(({ takes }) => takes),
    ).then(
      (decisions) => {
        for (const [index, { resolve }] of calls.entries()) resolve(decisions[index] as Decision[]);
      },
      (error: unknown) => {
        for (const { reject } of calls) reject(error);
      },
    );
  }

  // On a cluster the buckets live on several nodes, and no script reaches them all.
  if (redis.isCluster) {
    return async (takes: readonly Take[]) =>
      takes.length === 1 ? [await takeToken(redis, takes[0] as Take)] : takeTokens(redis, takes);
  }
  return (takes: readonly Take[]) =>
    new Promise<Decision[]>((resolve, reject) => {
      // A cost that is none fails its own call, not those that it would have travelled with.
      takes.forEach(costOf);
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ takes, resolve, reject });
      if (waiting.length >= MOST_CALLS) send();
    });
}
