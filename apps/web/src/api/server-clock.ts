/** Estimates the server's time from the `Date` headers of its responses. */
export interface ServerClock {
  /**
   * Updates the estimate from one response.
   * @param dateHeader the response's `Date`, truncated to whole seconds
   * @param sentAt by this computer's clock, in ms
   * @param receivedAt by this computer's clock, in ms
   */
  observe(dateHeader: string | null, sentAt: number, receivedAt: number): void;
  /** The server's time in ms. */
  now(): number;
}

/** Node caches the header for a second; a busy task refreshes it slightly late. */
const headerLagMs = 100;

/**
 * Creates a server clock. The server wrote the header within that second, between sending and receiving. So each response
 * bounds the offset of the two clocks, and a few together narrow it to a fraction of a second. A response that contradicts
 * the bounds means that a clock was set: the estimate restarts.
 */
export function createServerClock(now: () => number): ServerClock {
  let minAheadMs = Number.NEGATIVE_INFINITY;
  let maxAheadMs = Number.POSITIVE_INFINITY;
  let aheadMs = 0;
  return {
    observe(dateHeader, sentAt, receivedAt) {
      const secondStart = Date.parse(dateHeader ?? '');
      if (Number.isNaN(secondStart)) return;
      const lowerBound = secondStart - receivedAt;
      const upperBound = secondStart + 1000 + headerLagMs - sentAt;
      const contradicted = lowerBound > maxAheadMs || upperBound < minAheadMs;
      minAheadMs = contradicted ? lowerBound : Math.max(minAheadMs, lowerBound);
      maxAheadMs = contradicted ? upperBound : Math.min(maxAheadMs, upperBound);
      aheadMs = (minAheadMs + maxAheadMs) / 2;
    },
    now: () => now() + aheadMs,
  };
}

/** The clock of every countdown. */
export const serverClock = createServerClock(() => Date.now());
