/**
 * A circuit breaker: keeps a store that has just failed from costing every call its deadline. After a failure it is open for
 * `cooldownMs`; then it is half-open, where one call tries and the others still fail fast. The first success closes it.
 */
export function breaker({
  cooldownMs,
  now = performance.now.bind(performance),
}: {
  cooldownMs: number;
  now?: () => number;
}) {
  let openUntil = Number.NEGATIVE_INFINITY;
  let broken = false;
  return {
    isOpen: () => broken,
    /** Returns whether this call may use the store; if so, it has to report success or failure. */
    admits() {
      if (!broken) return true;
      if (now() < openUntil) return false;
      // This call is the trial. If it never reports, the next trial follows after another cooldown.
      openUntil = now() + cooldownMs;
      return true;
    },
    succeeded() {
      broken = false;
    },
    failed() {
      broken = true;
      openUntil = now() + cooldownMs;
    },
  };
}
