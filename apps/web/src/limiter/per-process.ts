/** What one limiter per process would have decided for the same requests. */
export interface PerProcess {
  /** Adds a request that the shared limiter decided. */
  decide(request: { task: string; at: number; cost: number; capacity: number; refillPerMs: number }): void;
  readonly served: number;
  readonly tasks: number;
}

/**
 * Computes, rather than measures, the same limit with a separate bucket per task. Each bucket starts full and gets the real
 * requests in the order of their responses.
 */
export function createPerProcess(): PerProcess {
  const buckets = new Map<string, { tokens: number; at: number }>();
  let served = 0;
  return {
    decide({ task, at, cost, capacity, refillPerMs }) {
      const bucket = buckets.get(task) ?? { tokens: capacity, at };
      const elapsedMs = Math.max(0, at - bucket.at);
      const tokens = Math.min(capacity, bucket.tokens + elapsedMs * refillPerMs);
      const isServed = tokens >= cost;
      if (isServed) served += 1;
      buckets.set(task, { tokens: isServed ? tokens - cost : tokens, at: Math.max(at, bucket.at) });
    },
    get served() {
      return served;
    },
    get tasks() {
      return buckets.size;
    },
  };
}
