const steadyMs = 30_000;
const longestPauseMs = 10_000;

/**
 * How long something that ends by itself is left alone before it is started again: not at all, and then longer and longer (up to
 * 10 s) if it keeps ending. What ran for half a minute begins anew.
 */
export function restartPauses() {
  let startedAt = performance.now();
  let failures = 0;
  return {
    hasStarted() {
      startedAt = performance.now();
    },
    /** @returns {number} milliseconds */
    next() {
      failures = performance.now() - startedAt > steadyMs ? 0 : failures + 1;
      return failures <= 1 ? 0 : Math.min(longestPauseMs, 250 * 2 ** failures);
    },
  };
}

/**
 * The line that says so.
 * @param {{ name: string, reason: string, pauseMs: number, logFile: string }} about
 */
export function restartLine({ name, reason, pauseMs, logFile }) {
  return `${name} ended (${reason}) and is started again${pauseMs ? ` in ${pauseMs / 1000} s` : ''}; see ${logFile}`;
}
