/** A policy as the load tests claim it: so many tokens, one back in so many seconds. */
export type Budget = { capacity: number; refillSeconds: number };

/**
 * What the product promises, said here a second time: a claim that was read from the product's own table would hold whatever
 * stood there.
 */
export const budgets = {
  /** Of one client address. */
  login: { capacity: 20, refillSeconds: 3 },
  /** Of one user of the free tier. */
  booking: { capacity: 10, refillSeconds: 1 },
} as const satisfies Record<string, Budget>;

export type Served = { sentAt: number; answeredAt: number };

/** Two clocks that tick in whole milliseconds. */
const CLOCK_MS = 2;

/**
 * The law, checked over every span of time and not only over the whole run: between the sending of one request and the answer
 * to a later one at most capacity + rate × span tokens are served.
 * @returns by how many tokens the worst span is above it; at or below 0 the law holds
 */
export function beyondBudget(served: readonly Served[], { capacity, refillSeconds }: Budget) {
  const byAnswer = served.toSorted((one, other) => one.answeredAt - other.answeredAt);
  let worst = -capacity;
  for (const { sentAt: begin } of served) {
    let count = 0;
    for (const { sentAt, answeredAt } of byAnswer) {
      if (sentAt < begin) continue;
      count += 1;
      const tokens = capacity + (answeredAt - begin + CLOCK_MS) / 1000 / refillSeconds;
      worst = Math.max(worst, count - Math.floor(tokens));
    }
  }
  return worst;
}

/**
 * The other side: a bucket that was full, and was asked more often than it refills, serves all that flows into it, less one
 * percent and the token that is still in the making.
 * @returns by how many tokens too few were served; at or below 0 the promise is kept
 */
export function belowBudget(answers: readonly (Served & { served: boolean })[], { capacity, refillSeconds }: Budget) {
  const firstAnsweredAt = Math.min(...answers.map(({ answeredAt }) => answeredAt));
  const lastSentAt = Math.max(...answers.map(({ sentAt }) => sentAt));
  const flowed = capacity + (lastSentAt - firstAnsweredAt - CLOCK_MS) / 1000 / refillSeconds;
  const count = answers.filter(({ served }) => served).length;
  return Math.ceil(0.99 * flowed - 1) - count;
}
