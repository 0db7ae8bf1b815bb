import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './processes.mjs';
import { restartBackoff, restartMessage } from './restart-backoff.mjs';

/**
 * A store that can be restarted with the same address and data.
 * @typedef {object} Restartable
 * @property {number} pid
 * @property {string} logFile
 * @property {boolean} isWanted whether it should run: not after its `stop` or `kill`
 * @property {() => Promise<void>} restart
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} kill
 */

/**
 * Restarts a store whenever it ends unexpectedly, with the same backoff as other processes.
 * @param {Restartable} store
 * @param {{ name: string, note: (line: string) => void, checkIntervalMs?: number }} options `note` gets one line per restart
 * @returns {{ stop: () => Promise<void>, kill: () => Promise<void> }} both also stop the supervision
 */
export function keepRunning(store, { name, note, checkIntervalMs = 500 }) {
  const backoff = restartBackoff();
  const stopping = new AbortController();
  const { signal } = stopping;
  const rest = (/** @type {number} */ ms) => delay(ms, undefined, { signal }).catch(() => {});
  const hasDied = () => !signal.aborted && store.isWanted && !isRunning(store.pid);

  const watch = async () => {
    let reason = 'it was not asked to';
    while (!signal.aborted) {
      await rest(checkIntervalMs);
      if (!hasDied()) continue;
      const pauseMs = backoff.next();
      note(restartMessage({ name, reason, pauseMs, logFile: store.logFile }));
      await rest(pauseMs);
      if (!hasDied()) continue;
      backoff.hasStarted();
      reason = await store.restart().then(
        () => 'it was not asked to',
        (error) => error.message,
      );
    }
  };
  const watching = watch();

  return {
    async stop() {
      stopping.abort();
      await watching; // A running restart has its own deadline.
      await store.stop();
    },
    async kill() {
      stopping.abort();
      await store.kill();
      await watching;
      if (isRunning(store.pid)) await store.kill();
    },
  };
}
