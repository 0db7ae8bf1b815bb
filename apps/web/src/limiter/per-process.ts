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
  const buckets = new Map<string, { tokens: number; at: number; highest: number }>();
  let served = 0;
  return {
    decide({ task, at, cost, capacity, refillPerMs }) {
      const bucket = buckets.get(task) ?? { tokens: capacity, at, highest: capacity };
      const elapsedMs = Math.max(0, at - bucket.at);
      // A raised limit adds its difference once, as the shared bucket does.
      const added = Math.max(0, capacity - bucket.highest);
      const tokens = Math.min(capacity, bucket.tokens + added + elapsedMs * refillPerMs);
      const isServed = tokens >= cost;
      if (isServed) served += 1;
      buckets.set(task, {
        tokens: isServed ? tokens - cost : tokens,
        at: Math.max(at, bucket.at),
        highest: Math.max(capacity, bucket.highest),
      });
    },
    get served() {
      return served;
    },
    get tasks() {
      return buckets.size;
    },
  };
}
