const STABLE_AFTER_MS = 30_000;
const MAX_PAUSE_MS = 10_000;

/**
 * Returns an exponential backoff between restarts: none at first, then up to 10 s while the process keeps ending. It resets once
 * the process has run for 30 s.
 */
export function restartBackoff() {
  let startedAt = performance.now();
  let failures = 0;
  return {
    hasStarted() {
      startedAt = performance.now();
    },
    /** @returns {number} milliseconds */
    next() {
      failures = performance.now() - startedAt > STABLE_AFTER_MS ? 0 : failures + 1;
      return failures <= 1 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** failures);
    },
  };
}

/**
 * Returns the log line for a restart.
 * @param {{ name: string, reason: string, pauseMs: number, logFile: string }} about
 */
export function restartMessage({ name, reason, pauseMs, logFile }) {
  return `${name} ended (${reason}) and is restarted${pauseMs ? ` in ${pauseMs / 1000} s` : ''}; see ${logFile}`;
}
