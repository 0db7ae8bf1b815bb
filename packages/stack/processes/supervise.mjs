import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { endProcess, waitUntil } from './processes.mjs';
import { restartLine, restartPauses } from './restart-pauses.mjs';

/**
 * @typedef {object} Supervised
 * @property {string} name
 * @property {number} pid of the process now running, or of the last one
 * @property {() => Promise<void>} stop asks it to end, then kills it
 * @property {() => Promise<void>} crash kills it like a crash; it is restarted
 * @property {() => Promise<void>} kill kills it without a restart
 */

/** A process that misses this many checks in a row hangs. Checks are counted, not timed, because a laptop may sleep between two. */
const mostSilentLooks = 5;
/** Extra start-up grace period for a new process, in checks. */
const looksToStart = 25;

/**
 * Starts a process, waits until it is ready, and restarts it whenever it ends by itself: at once, and with a growing backoff (up
 * to 10 s) if it keeps ending. A process that hangs is killed first, because it would not handle a SIGTERM either.
 * @param {object} options
 * @param {string} options.name
 * @param {'task' | 'lab' | 'balancer'} options.step
 * @param {string} options.logFile
 * @param {() => ReturnType<typeof import('./processes.mjs').spawnLogged>} options.start
 * @param {() => Promise<boolean>} options.isReady
 * @param {() => Promise<boolean>} options.isAlive whether it responds at all, ready or not; must resolve within `lookEveryMs`
 * @param {number} [options.lookEveryMs]
 * @param {(line: string) => void} options.note called at every restart
 * @param {() => void} options.onChange called when `pid` has changed
 * @param {AbortSignal} [options.signal] gives up waiting
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
  lookEveryMs = 2000,
  note,
  onChange,
  signal,
}) {
  let child = await start();
  const pauses = restartPauses();
  let silentLooks = 0;
  const stopping = new AbortController();

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(async () => hasEnded() || signal?.aborted === true || (await isReady()), 60_000, 50);
  if (hasEnded() || signal?.aborted || !(await isReady())) {
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
      if (silentLooks >= mostSilentLooks)
        return `no answer for ${(mostSilentLooks * lookEveryMs) / 1000} s, so it was killed`;
      return child.signalCode ?? `exit code ${child.exitCode}`;
    };
    if (hasEnded()) void startAgain(reason());
    else child.once('exit', () => void startAgain(reason()));
  };
  /** @param {string} reason */
  const startAgain = async (reason) => {
    if (stopping.signal.aborted) return;
    const pauseMs = pauses.next();
    note(restartLine({ name, reason, pauseMs, logFile }));
    await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    pauses.hasStarted();
    try {
      child = await start();
      silentLooks = -looksToStart;
    } catch (error) {
      return await startAgain(error instanceof Error ? error.message : String(error));
    }
    watch();
    onChange();
    if (stopping.signal.aborted) await end();
  };
  const lookForSilence = async () => {
    while (!stopping.signal.aborted) {
      const [looked, lookedAt] = [child, performance.now()];
      const answered = await isAlive();
      if (looked === child && !hasEnded()) silentLooks = answered ? 0 : silentLooks + 1;
      if (silentLooks >= mostSilentLooks && !hasEnded() && !stopping.signal.aborted) {
        await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
      }
      const restMs = Math.max(0, lookEveryMs - (performance.now() - lookedAt));
      await delay(restMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const end = () =>
    endProcess(child.pid, [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 2000 },
    ]);
  watch();
  void lookForSilence();

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
    async kill() {
      stopping.abort();
      await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 5000 }]);
    },
  };
}
