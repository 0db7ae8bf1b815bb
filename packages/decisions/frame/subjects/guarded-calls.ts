import type { Stage } from '../arena.ts';

/** A limiter's decision, shipped or naive. */
export type Answer = { allowed: boolean; remaining?: number };

/** A served call. `atMs` is on the experiment's clock. */
export type Served = { client: string; atMs: number };

/**
 * The work behind a limiter. Each allowed call leaves a mark in Redis, and those marks are counted, not the callers' own results.
 */
export async function guardedCalls(stage: Stage) {
  const redis = await stage.connectRedis();
  const began = performance.now();
  return {
    /** Makes one call to a task. Rejects as the limiter does. @returns the limiter's decision */
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
    /** Returns the served calls, in order. */
    async served(): Promise<Served[]> {
      return (await redis.lrange(MARKS, 0, -1)).map((mark) => JSON.parse(mark));
    },
  };
}

const MARKS = 'served';
