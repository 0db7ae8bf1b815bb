import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * @typedef {object} Tools shared by the parts of a start
 * @property {{ stop: () => Promise<unknown>, kill: () => Promise<unknown> }[]} started in order
 * @property {<T>(name: string, work: () => Promise<T>, describe: (result: T) => string) => Promise<T>} step
 * @property {(text: string) => void} note
 * @property {AbortSignal | undefined} signal
 */

const run = promisify(execFile);

/**
 * Starts a detached program that logs directly to a file. A pipe through this process would break if it dies. A detached program
 * does not get the terminal's Ctrl-C, so the launcher controls the order in which the parts stop.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {object} options
 * @param {string} options.logFile appended to
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env] the complete environment, ours by default
 * @param {{ uid: number, gid: number }} [options.as] another user to run as
 * @returns {Promise<import('node:child_process').ChildProcess & { pid: number }>}
 * @throws if the program cannot be executed
 */
export async function spawnLogged(command, args, { logFile, cwd, env, as }) {
  mkdirSync(dirname(logFile), { recursive: true });
  // Logs can contain personal data, so only their owner can read them.
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, cwd, env, ...as });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', () => {}); // An undeliverable signal is harmless: waiting for the end has a deadline.
    return /** @type {import('node:child_process').ChildProcess & { pid: number }} */ (child);
  } finally {
    closeSync(log);
  }
}

/**
 * Runs a short program to its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs?: number, cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number, input?: string }} [options]
 * @returns {Promise<{ stdout: string, stderr: string }>}
 * @throws when it fails, with its error output in the message
 */
export async function runToEnd(command, args, { timeoutMs = 60_000, input, ...options } = {}) {
  const running = run(command, args, { timeout: timeoutMs, maxBuffer: 16 << 20, ...options });
  running.child.stdin?.on('error', () => {}); // A program that ends without reading its input reports the reason by its exit code.
  running.child.stdin?.end(input ?? '');
  return await running;
}

/**
 * Runs a Node program on this process's terminal until it ends.
 * @param {readonly string[]} args Node's options, the program and its arguments
 * @param {{ cwd: string }} options
 * @returns {Promise<number>} its exit code
 */
export async function runInForeground(args, { cwd }) {
  // The terminal's Ctrl-C reaches the program too; this process waits for its exit code.
  process.on('SIGINT', () => {});
  const program = spawn(process.execPath, args, { cwd, stdio: 'inherit' });
  process.on('SIGTERM', () => program.kill('SIGTERM'));
  const [code] = await once(program, 'exit');
  return code ?? 1;
}

/** @param {number} pid */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Identifies a process. Its pid alone does not, because the system reuses pids.
 * @typedef {{ pid: number, born: string }} ProcessRecord
 */

/**
 * @param {number} pid
 * @returns {Promise<ProcessRecord | undefined>} undefined if there is no such process
 */
export async function recordOf(pid) {
  if (!isRunning(pid)) return undefined;
  try {
    return { pid, born: process.platform === 'linux' ? bornOnLinux(pid) : await bornElsewhere(pid) };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** @param {ProcessRecord | undefined} record */
export async function isStillRunning(record) {
  return record !== undefined && (await recordOf(record.pid))?.born === record.born;
}

/** @param {number} pid */
function bornOnLinux(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain anything; the start time, in ticks since the boot, is the 20th field after it.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
}

/** @param {number} pid */
async function bornElsewhere(pid) {
  return (await runToEnd('ps', ['-o', 'lstart=', '-p', String(pid)], { timeoutMs: 3000 })).stdout.trim();
}

/**
 * The command line of a process, or undefined when there is none.
 * @param {number} pid
 * @returns {Promise<string | undefined>}
 */
export async function commandLineOf(pid) {
  if (!isRunning(pid)) return undefined;
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return (await runToEnd('ps', ['-o', 'command=', '-p', String(pid)], { timeoutMs: 3000 })).stdout.trim();
  } catch {
    return undefined;
  }
}

/**
 * Terminates a process with a sequence of signals, each with a timeout.
 * @param {number} pid
 * @param {readonly { signal: NodeJS.Signals, waitMs: number }[]} steps
 * @returns {Promise<boolean>} whether it has ended
 */
export async function endProcess(pid, steps) {
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch {
      return !isRunning(pid);
    }
    if (await waitUntil(() => !isRunning(pid), waitMs)) return true;
  }
  return !isRunning(pid);
}

/**
 * Polls a condition until it holds or the timeout is over.
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} whether the condition came true
 */
export async function waitUntil(condition, timeoutMs, everyMs = 20) {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await delay(everyMs);
  }
  return true;
}

/** Whether a process is a zombie, which still accepts signals. @param {number} pid */
function isZombie(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'Z';
  } catch {
    return false;
  }
}
