/**
 * Keeps a store that has just failed from costing every call its deadline. After a failure nobody asks it for `restMs`; then
 * one call tries, while the others still do not. The first success closes the breaker.
 */
export function breaker({ restMs, now = performance.now.bind(performance) }: { restMs: number; now?: () => number }) {
  let restUntil = Number.NEGATIVE_INFINITY;
  let broken = false;
  return {
    isOpen: () => broken,
    /** True if the store is to be asked by this call, which then has to report how it went. */
    admits() {
      if (!broken) return true;
      if (now() < restUntil) return false;
      // This call tries. If it never reports, the next one tries after another rest.
      restUntil = now() + restMs;
      return true;
    },
    succeeded() {
      broken = false;
    },
    failed() {
      broken = true;
      restUntil = now() + restMs;
    },
  };
}
