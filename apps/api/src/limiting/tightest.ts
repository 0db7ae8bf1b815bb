import type { Decision } from '../queries/rate-limits.ts';

type Ban = Extract<Decision, { reason: 'suppressed' }>;
export const isBanned = (decision: Decision): decision is Ban => !decision.allowed && decision.reason === 'suppressed';

/** Returns the whole tokens that a client can spend. During a ban that is none, even if the bucket has tokens. */
export const spendable = (decision: Decision) => (isBanned(decision) ? 0 : decision.remaining);

/**
 * Returns one decision for each policy: of an API key's bucket and its user's, the one that leaves less. It is what a client has
 * to know, and what is counted.
 */
export function tightestOfEachPolicy(decisions: readonly Decision[]): readonly Decision[] {
  if (decisions.length < 2) return decisions;
  const tightest = new Map<string, Decision>();
  for (const decision of decisions) {
    const { policy } = decision.take.limit;
    const other = tightest.get(policy);
    if (!other || isTighter(decision, other)) tightest.set(policy, decision);
  }
  return [...tightest.values()];
}

const isTighter = (one: Decision, other: Decision) =>
  spendable(one) < spendable(other) || (isBanned(one) && !isBanned(other));
