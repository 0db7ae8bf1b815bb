import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { runToEnd } from './processes.mjs';

/** Below every system's ephemeral ports (from 32768 on Linux, 49152 elsewhere), which outgoing connections use. */
const freePorts = { first: 20_000, last: 32_000 };

/**
 * Returns a loopback port that is free now, outside the ephemeral range. Another process may take it first, so callers must be able to retry.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let attempt = 1; attempt <= 100; attempt++) {
    const port = randomInt(freePorts.first, freePorts.last + 1);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port was found between ${freePorts.first} and ${freePorts.last}.`);
}

/**
 * Returns whether a port is free to listen on.
 * @param {number} port
 * @param {string} [host]
 */
export async function isPortFree(port, host = '127.0.0.1') {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/**
 * Starts a server on a given or a free port. If another process takes the free port first, it retries with another.
 * @template T
 * @param {number | undefined} fixedPort
 * @param {(port: number) => Promise<T>} start
 * @returns {Promise<[port: number, started: T]>}
 */
export async function startOnPort(fixedPort, start) {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort());
    try {
      return [port, await start(port)];
    } catch (error) {
      if (fixedPort !== undefined || attempt === 3 || (await isPortFree(port))) throw error;
    }
  }
}

/**
 * Returns which process listens on a TCP port, such as "node, process 4711"; undefined if unknown, as for another user's process.
 * @param {number} port
 * @returns {Promise<string | undefined>}
 */
export async function portOwner(port) {
  try {
    return process.platform === 'linux' ? ownerFromProc(port) : await ownerFromLsof(port);
  } catch {
    return undefined;
  }
}

/** Reads the kernel's tables, because a small system has neither ss nor lsof. @param {number} port */
function ownerFromProc(port) {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(table, port)));
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!socketsOf(pid).some((socket) => sockets.has(socket))) continue;
    return `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()}, process ${pid}`;
  }
  return undefined;
}

/** @param {string} table @param {number} port @returns {string[]} as `/proc/PID/fd` names them */
function listeningSockets(table, port) {
  const path = `/proc/net/${table}`;
  if (!existsSync(path)) return []; // Without IPv6 there is no tcp6.
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hexPort}`) && state === '0A')
    .map((fields) => `socket:[${fields[9]}]`);
}

/** @param {string} pid */
function socketsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((fd) => linkAt(`${folder}/${fd}`));
  } catch {
    return []; // The process ended, or belongs to another user.
  }
}

/** @param {string} path */
function linkAt(path) {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed meanwhile.
  }
}

/** @param {number} port */
async function ownerFromLsof(port) {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await runToEnd('lsof', args, { timeoutMs: 3000 });
  const { name, pid } = /p(?<pid>\d+)\nc(?<name>.+)/.exec(stdout)?.groups ?? {};
  return pid && `${name}, process ${pid}`;
}
