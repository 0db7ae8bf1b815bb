/** A policy as the load tests claim it: the burst, and the seconds in which one token refills. */
export type Budget = { capacity: number; refillSeconds: number };

/**
 * The promised limits, repeated here on purpose: claims that read the product's own table would hold for any value in it.
 */
export const budgets = {
  /** Per client address. */
  login: { capacity: 20, refillSeconds: 3 },
  /** Per user of the free tier. */
  booking: { capacity: 10, refillSeconds: 1 },
} as const satisfies Record<string, Budget>;

export type Served = { sentAt: number; receivedAt: number };

/** Rounding of the two timestamps, which are whole milliseconds. */
const CLOCK_MS = 2;

/**
 * Checks the token bucket's law over every interval, not only over the whole run: from sending one request to the response to a
 * later one, at most capacity + rate × interval are served.
 * @returns the excess of the worst interval in tokens; the law holds at 0 or below
 */
export function excessTokens(served: readonly Served[], { capacity, refillSeconds }: Budget) {
  const byReceipt = served.toSorted((a, b) => a.receivedAt - b.receivedAt);
  let worst = -capacity;
  for (const { sentAt: begin } of served) {
    let count = 0;
    for (const { sentAt, receivedAt } of byReceipt) {
      if (sentAt < begin) continue;
      count += 1;
      const tokens = capacity + (receivedAt - begin + CLOCK_MS) / 1000 / refillSeconds;
      worst = Math.max(worst, count - Math.floor(tokens));
    }
  }
  return worst;
}

/**
 * Checks the converse: a bucket that starts full, under constant demand, serves its capacity and everything that refills, minus
 * 1 % and the token that is not complete yet.
 * @returns the missing tokens; the promise is kept at 0 or below
 */
export function missingTokens(replies: readonly (Served & { served: boolean })[], { capacity, refillSeconds }: Budget) {
  const firstAnsweredAt = Math.min(...replies.map(({ receivedAt }) => receivedAt));
  const lastSentAt = Math.max(...replies.map(({ sentAt }) => sentAt));
  const granted = capacity + (lastSentAt - firstAnsweredAt - CLOCK_MS) / 1000 / refillSeconds;
  const count = replies.filter(({ served }) => served).length;
  return Math.ceil(0.99 * granted - 1) - count;
}
