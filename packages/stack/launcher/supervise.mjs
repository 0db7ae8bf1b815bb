import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { endProcess, waitUntil } from './processes.mjs';

/**
 * @typedef {object} Supervised
 * @property {string} name
 * @property {number} pid of the process now running, or of the last one
 * @property {() => Promise<void>} stop asks it to end, then makes it
 * @property {() => Promise<void>} crash ends it as a crash would; it is started again
 * @property {() => Promise<void>} kill ends it at once and for good
 */

const steadyMs = 30_000;
const longestPauseMs = 10_000;

/**
 * Starts a process, waits until it is ready, and starts it again whenever it ends by itself: at once, and after longer and longer
 * pauses (up to 10 s) if it keeps ending.
 * @param {object} options
 * @param {string} options.name
 * @param {'task' | 'balancer'} options.step
 * @param {string} options.logFile
 * @param {() => ReturnType<typeof import('./processes.mjs').spawnLogged>} options.start
 * @param {() => Promise<boolean>} options.isReady
 * @param {(line: string) => void} options.note told when it had to be started again
 * @param {() => void} options.onChange called when `pid` has changed
 * @param {AbortSignal} [options.signal] gives up waiting
 * @returns {Promise<Supervised>}
 * @throws {Failure} if it is not ready within a minute
 */
export async function supervise({ name, step, logFile, start, isReady, note, onChange, signal }) {
  let child = await start();
  let startedAt = performance.now();
  let failures = 0;
  const stopping = new AbortController();

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(async () => hasEnded() || signal?.aborted === true || (await isReady()), 60_000, 50);
  if (hasEnded() || signal?.aborted || !(await isReady())) {
    await endProcess(child.pid, [{ signal: 'SIGKILL', waitMs: 2000 }]);
    signal?.throwIfAborted();
    throw new Failure(`${name} did not become ready.`, {
      step,
      logFile,
      mend: 'See the log; npm run doctor checks the usual causes.',
    });
  }

  const watch = () => {
    const reason = () => child.signalCode ?? `exit code ${child.exitCode}`;
    if (hasEnded()) void startAgain(reason());
    else child.once('exit', () => void startAgain(reason()));
  };
  /** @param {string} reason */
  const startAgain = async (reason) => {
    if (stopping.signal.aborted) return;
    failures = performance.now() - startedAt > steadyMs ? 0 : failures + 1;
    const pauseMs = failures <= 1 ? 0 : Math.min(longestPauseMs, 250 * 2 ** failures);
    note(`${name} ended (${reason}) and is started again${pauseMs ? ` in ${pauseMs / 1000} s` : ''}; see ${logFile}`);
    await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    startedAt = performance.now();
    try {
      child = await start();
    } catch (error) {
      return await startAgain(error instanceof Error ? error.message : String(error));
    }
    watch();
    onChange();
    if (stopping.signal.aborted) await end();
  };
  const end = () =>
    endProcess(child.pid, [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 2000 },
    ]);
  watch();

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
