import { linkSync, readFileSync, rmSync } from 'node:fs';
import { Failure } from '../processes/failure.mjs';
import { endProcess, isStillRunning, recordOf } from '../processes/processes.mjs';
import { placesOf, writePrivate } from '../stores/files.mjs';
import { endServerOf, serverOf } from '../stores/postgres.mjs';
import { endRedisOf, redisOf } from '../stores/redis.mjs';

/**
 * What a running stack records, for the other commands and for the start after a crash.
 * @typedef {object} State
 * @property {import('../processes/processes.mjs').ProcessRecord} launcher
 * @property {string} [url]
 * @property {string} [databaseUrl]
 * @property {string} [redisUrl]
 * @property {{ name: string, url?: string, record: import('../processes/processes.mjs').ProcessRecord | undefined }[]} processes
 *   the balancer, the lab and the tasks
 */

const endSteps = /** @type {const} */ ([
  { signal: 'SIGTERM', waitMs: 8000 },
  { signal: 'SIGKILL', waitMs: 2000 },
]);

/**
 * Returns the state of the running stack, or undefined.
 * @param {string} dataDir
 * @returns {Promise<State | undefined>}
 */
export async function runningState(dataDir) {
  const state = readState(dataDir);
  return state && (await isStillRunning(state.launcher)) ? state : undefined;
}

/**
 * Claims a data folder for this process, and stops what a crashed launcher left running in it.
 * @param {string} dataDir
 * @returns {Promise<void>}
 * @throws {Failure} if another launcher has claimed it
 */
export async function claim(dataDir) {
  const launcher = await recordOf(process.pid);
  if (!launcher) throw new Error("This process is not in the system's list of processes.");
  while (!createState(dataDir, { launcher, processes: [] })) {
    const running = await runningState(dataDir);
    if (running) {
      throw new Failure(`MiniTickets is already running${running.url ? ` at ${running.url}` : ''}.`, {
        step: 'alreadyRunning',
        fix: `Ctrl-C where it runs (process ${running.launcher.pid}), or npm run stop.`,
      });
    }
    await endLeftovers(dataDir);
  }
}

/**
 * Returns what a dead launcher left running.
 * @param {string} dataDir
 * @returns {Promise<{ names: string[], url: string | undefined } | undefined>} with the URL if the balancer still listens;
 *   undefined if nothing runs, or if the launcher is alive
 */
export async function leftRunning(dataDir) {
  if (await runningState(dataDir)) return undefined;
  const { redis, postgres } = placesOf(dataDir);
  const { processes = [], url } = readState(dataDir) ?? {};
  /** @type {string[]} */
  const names = [];
  for (const { name, record } of processes) if (await isStillRunning(record)) names.push(name);
  const listens = names.includes('balancer');
  if (await redisOf(redis)) names.push('Redis');
  if ((await serverOf(postgres)) !== undefined) names.push('PostgreSQL');
  return names.length > 0 ? { names, url: listens ? url : undefined } : undefined;
}

/**
 * Stops what a dead launcher left running, in the order of a regular stop.
 * @param {string} dataDir
 * @returns {Promise<string[]>} the names of what was stopped
 */
export async function endLeftovers(dataDir) {
  const { state: file, redis, postgres } = placesOf(dataDir);
  /** @type {string[]} */
  const ended = [];
  const end = async (/** @type {State['processes'][number]} */ { name, record }) => {
    if (!record || !(await isStillRunning(record))) return;
    await endProcess(record.pid, endSteps);
    ended.push(name);
  };
  const processes = readState(dataDir)?.processes ?? [];
  await Promise.all(processes.filter(({ name }) => name === 'balancer').map(end));
  await Promise.all(processes.map(end));
  if (await endRedisOf(redis)) ended.push('Redis');
  if (await endServerOf(postgres)) ended.push('PostgreSQL');
  rmSync(file, { force: true });
  return ended;
}

/** Creates the file atomically, so that of two concurrent starts only one succeeds. @param {string} dataDir @param {State} state */
function createState(dataDir, state) {
  const { state: file } = placesOf(dataDir);
  const draft = `${file}.claim-${process.pid}`;
  writePrivate(draft, JSON.stringify(state));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** @param {string} dataDir @param {State} state */
export function writeState(dataDir, state) {
  writePrivate(placesOf(dataDir).state, JSON.stringify(state, undefined, 2));
}

/** Releases the claim on the folder. @param {string} dataDir */
export function release(dataDir) {
  rmSync(placesOf(dataDir).state, { force: true });
}

/** @param {string} dataDir @returns {State | undefined} */
function readState(dataDir) {
  try {
    return JSON.parse(readFileSync(placesOf(dataDir).state, 'utf8'));
  } catch {
    return undefined; // None, or one that a crash left empty.
  }
}
