import { readFileSync } from 'node:fs';

/** The exit codes of `main.mjs`, one for each kind of failure. */
export const exitCodes = /** @type {const} */ ({
  usage: 2,
  node: 3,
  install: 4,
  build: 5,
  postgres: 6,
  redis: 7,
  migration: 8,
  seed: 9,
  task: 10,
  balancer: 11,
  port: 12,
  alreadyRunning: 13,
  lab: 14,
  path: 15,
  pages: 16,
});

/** An explained failure of a step, with its log and how to fix it. */
export class Failure extends Error {
  /**
   * @param {string} message one line
   * @param {object} about
   * @param {keyof typeof exitCodes} about.step
   * @param {string} [about.fix] one line: what to do about it
   * @param {string} [about.logFile]
   * @param {unknown} [about.cause]
   */
  constructor(message, { step, fix, logFile, cause }) {
    const lines = logFile ? lastLines(logFile) : [];
    super(message, { cause: cause ?? (lines.length > 0 ? new Error(lines.join('\n')) : undefined) });
    this.name = 'Failure';
    this.step = step;
    this.fix = fix;
    this.logFile = logFile;
    /** The end of the log, at most 20 lines. */
    this.lines = lines;
  }
}

/**
 * Returns the last lines of a log, or none if it cannot be read.
 * @param {string} file
 * @returns {string[]}
 */
export function lastLines(file, count = 20) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean).slice(-count);
  } catch {
    return [];
  }
}
