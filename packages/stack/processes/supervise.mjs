import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { endProcess, waitUntil } from './processes.mjs';
import { restartBackoff, restartMessage } from './restart-backoff.mjs';

/**
 * @typedef {object} Supervised
 * @property {string} name
 * @property {number} pid of the current or last process
 * @property {() => Promise<void>} stop terminates it, and kills it after a timeout
 * @property {() => Promise<void>} crash kills it; it is restarted
 * @property {(file: string) => Promise<void>} reload kills it, and starts it again without a pause because the file has changed
 * @property {() => Promise<void>} kill kills it without a restart
 */

/** Consecutive missed checks after which a process counts as hung. Checks, not seconds, because a laptop may sleep in between. */
const MAX_MISSED_CHECKS = 5;
/** Additional checks that a new process may miss. */
const STARTUP_GRACE_CHECKS = 25;

/**
 * Starts a process, waits until it is ready, and restarts it whenever it ends by itself: at once, and with a growing backoff (up
 * to 10 s) if it keeps ending. A process that hangs is killed first, because it would not handle a SIGTERM either.
 * @param {object} options
 * @param {string} options.name
 * @param {'task' | 'lab' | 'balancer' | 'pages'} options.step
 * @param {string} options.logFile
 * @param {() => ReturnType<typeof import('./processes.mjs').spawnLogged>} options.start
 * @param {() => Promise<boolean>} options.isReady
 * @param {() => Promise<boolean>} options.isAlive whether it responds at all, ready or not; must resolve within `checkIntervalMs`
 * @param {number} [options.checkIntervalMs]
 * @param {(line: string) => void} options.note called at every restart
 * @param {() => void} options.onChange called when `pid` has changed
 * @param {AbortSignal} [options.signal] aborts the start
 * @returns {Promise<Supervised>}
 * @throws {Failure} if it is not ready within a minute
 */
export async function supervise({
  name,
  step,
  logFile,
  start,
  isReady,
  isAlive,
  checkIntervalMs = 2000,
  note,
  onChange,
  signal,
}) {
  let child = await start();
  let backoff = restartBackoff();
  let pause = new AbortController();
  /** @type {string | undefined} */
  let changedFile;
  let missedChecks = 0;
  const stopping = new AbortController();

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // Ready once is enough: on a busy machine the next check may miss a store's deadline again.
  let wasReady = false;
  const isDecided = async () => {
    if (hasEnded() || signal?.aborted) return true;
    wasReady = await isReady();
    return wasReady;
  };
  await waitUntil(isDecided, 60_000, 50);
  if (!wasReady || hasEnded() || signal?.aborted) {
    await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 2000 }]);
    signal?.throwIfAborted();
    throw new Failure(`${name} did not become ready.`, {
      step,
      logFile,
      fix: 'See the log; npm run doctor checks the usual causes.',
    });
  }

  const watch = () => {
    const reason = () => {
      if (changedFile) return `${changedFile} changed`;
      if (missedChecks >= MAX_MISSED_CHECKS)
        return `no response for ${(MAX_MISSED_CHECKS * checkIntervalMs) / 1000} s, so it was killed`;
      return child.signalCode ?? `exit code ${child.exitCode}`;
    };
    if (hasEnded()) void startAgain(reason());
    else child.once('exit', () => void startAgain(reason()));
  };
  /** @param {string} reason */
  const startAgain = async (reason) => {
    if (stopping.signal.aborted) return;
    const pauseMs = backoff.next();
    note(restartMessage({ name, reason, pauseMs, logFile }));
    pause = new AbortController();
    await delay(pauseMs, undefined, { signal: AbortSignal.any([stopping.signal, pause.signal]) }).catch(() => {});
    if (stopping.signal.aborted) return;
    backoff.hasStarted();
    changedFile = undefined;
    try {
      child = await start();
      missedChecks = -STARTUP_GRACE_CHECKS;
    } catch (error) {
      return await startAgain(error instanceof Error ? error.message : String(error));
    }
    watch();
    onChange();
    if (stopping.signal.aborted) await end();
  };
  const checkLiveness = async () => {
    while (!stopping.signal.aborted) {
      const [looked, lookedAt] = [child, performance.now()];
      const answered = await isAlive();
      if (looked === child && !hasEnded()) missedChecks = answered ? 0 : missedChecks + 1;
      if (missedChecks >= MAX_MISSED_CHECKS && !hasEnded() && !stopping.signal.aborted) {
        await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
      }
      const restMs = Math.max(0, checkIntervalMs - (performance.now() - lookedAt));
      await delay(restMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const end = () =>
    endProcess(child.pid, [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 2000 },
    ]);
  watch();
  void checkLiveness();

  return {
    name,
    get pid() {
      return child.pid;
    },
    async stop() {
      stopping.abort();
      await end();
    },
    async crash() {
      await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    },
    async reload(file) {
      backoff = restartBackoff();
      changedFile = file;
      pause.abort();
      await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    },
    async kill() {
      stopping.abort();
      await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    },
  };
}
