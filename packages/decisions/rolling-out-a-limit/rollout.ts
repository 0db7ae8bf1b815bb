import type { LimitChange } from '@minitickets/contract';

/** Refused calls of a customer while the draft was watched, and its mean rate in calls per second. */
export type Watched = { customer: string; refused: number; perSecond: number };

/** How an operator brings a new limit into force. */
export type Rollout = {
  /** The limit of the first minute, made from the draft; undefined if nothing is enforced yet. */
  first: (draft: LimitChange) => LimitChange | undefined;
  /** The limit of the second minute, after what was learned of the customers in the first. */
  second: (draft: LimitChange, customers: readonly Watched[]) => LimitChange;
};

/** Returns the draft, with a burst that spares the customers who were refused. */
export function sparing(draft: LimitChange, customers: readonly Watched[], bursts: number): LimitChange {
  const worst = Math.max(0, ...customers.map(({ refused }) => refused));
  return { ...draft, capacity: draft.capacity + Math.ceil(worst / bursts) };
}

/** Shadow mode first: the limit decides and refuses nobody, and its counts correct the draft. */
export function shadowFirst(bursts: number): Rollout {
  // #region shadow-first
  return {
    first: (draft) => ({ ...draft, shadow: true }),
    second: (draft, customers) => sparing(draft, customers, bursts),
  };
  // #endregion
}
