import type { Stage } from '../arena.ts';

/** What a limiter says of a call, shipped or not. */
export type Answer = { allowed: boolean; remaining?: number };

/** When a call that was let through did its work. `atMs` is on the clock that the experiment goes by. */
export type Served = { client: string; atMs: number };

/**
 * The work that a limiter stands before. Each call that it lets through does it, and it leaves a mark in Redis: what got
 * through is counted there, and not by those who called.
 */
export async function guardedCalls(stage: Stage) {
  const redis = await stage.connectRedis();
  const began = performance.now();
  return {
    /** One call of a client to a task. Fails as the limiter fails. @returns what the limiter answers */
    async call<Given extends Answer>(
      limiter: () => Promise<Given>,
      { actor, client = 'client', atMs }: { actor: string; client?: string; atMs?: number },
    ) {
      const answer = await limiter();
      const { allowed } = answer;
      const mark: Served = { client, atMs: atMs ?? performance.now() - began };
      if (allowed) await redis.rpush(MARKS, JSON.stringify(mark));
      stage.emit({ kind: 'request', actor, outcome: allowed ? 'served' : 'refused', detail: client, atMs });
      return answer;
    },
    /** What was let through, in the order in which it was done. */
    async served(): Promise<Served[]> {
      return (await redis.lrange(MARKS, 0, -1)).map((mark) => JSON.parse(mark));
    },
  };
}

const MARKS = 'served';
