import { type Rollout, sparing } from './rollout.ts';

/** Enforces the draft at once, and corrects it by the refusals. */
export function atOnce(bursts: number): Rollout {
  // #region at-once
  return {
    first: (draft) => draft,
    second: (draft, customers) => sparing(draft, customers, bursts),
  };
  // #endregion
}

/** Compares the draft with each customer's mean rate, as an access log shows it, and enforces it if the rate is below. */
export function byMeanRate(): Rollout {
  // #region by-mean-rate
  return {
    first: () => undefined,
    second: (draft, customers) => ({
      ...draft,
      refillTokens: Math.max(draft.refillTokens, ...customers.map(({ perSecond }) => Math.ceil(perSecond))),
    }),
  };
  // #endregion
}
