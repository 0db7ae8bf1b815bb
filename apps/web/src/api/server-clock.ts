/** Tells the server's time, learnt from the `Date` header of its answers. */
export interface ServerClock {
  /**
   * Learns from one answer.
   * @param dateHeader the answer's `Date`, which is cut to whole seconds
   * @param sentAt by this computer's clock, in ms
   * @param receivedAt by this computer's clock, in ms
   */
  observe(dateHeader: string | null, sentAt: number, receivedAt: number): void;
  /** The server's time in ms. */
  now(): number;
}

/** Node writes the header from a copy that a timer renews every second; a busy task renews it a little late. */
const headerLagMs = 100;

/**
 * When the header was written, the server's clock stood within that second, and the answer was on its way. So each answer
 * bounds the difference of the two clocks, and a few answers together narrow it to a fraction of a second. An answer that
 * contradicts the bounds means that a clock was set: it starts anew.
 */
export function createServerClock(now: () => number): ServerClock {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  let aheadMs = 0;
  return {
    observe(dateHeader, sentAt, receivedAt) {
      const secondStart = Date.parse(dateHeader ?? '');
      if (Number.isNaN(secondStart)) return;
      const atLeast = secondStart - receivedAt;
      const atMost = secondStart + 1000 + headerLagMs - sentAt;
      const contradicted = atLeast > most || atMost < least;
      least = contradicted ? atLeast : Math.max(least, atLeast);
      most = contradicted ? atMost : Math.min(most, atMost);
      aheadMs = (least + most) / 2;
    },
    now: () => now() + aheadMs,
  };
}

/** The clock that every countdown of the pages goes by. */
export const serverClock = createServerClock(() => Date.now());
