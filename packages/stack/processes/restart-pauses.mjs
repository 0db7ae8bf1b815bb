const steadyMs = 30_000;
const longestPauseMs = 10_000;

/**
 * Returns the backoff before each restart: none at first, then growing up to 10 s while the process keeps ending. It resets once
 * the process has run for half a minute.
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
 * Returns the log line for a restart.
 * @param {{ name: string, reason: string, pauseMs: number, logFile: string }} about
 */
export function restartLine({ name, reason, pauseMs, logFile }) {
  return `${name} ended (${reason}) and is started again${pauseMs ? ` in ${pauseMs / 1000} s` : ''}; see ${logFile}`;
}
