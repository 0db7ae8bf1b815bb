import { once } from 'node:events';
import { createServer } from 'node:net';
import { runToEnd } from './processes.mjs';

/**
 * A port of the loopback that nobody listens on right now. Somebody may take it before you do: listen, and be ready to ask again.
 * @returns {Promise<number>}
 */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Whether we could listen there.
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
 * Starts something on a port: the one asked for, or a free one, and another when somebody took that in the meantime.
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
 * Who listens on a port, like "node, process 4711"; undefined if that cannot be found out.
 * @param {number} port
 * @returns {Promise<string | undefined>}
 */
export async function holderOf(port) {
  for (const [command, args, pattern] of /** @type {const} */ ([
    ['ss', ['-H', '-ltnp', `sport = :${port}`], /"(?<name>[^"]+)",pid=(?<pid>\d+)/],
    ['lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], /p(?<pid>\d+)\nc(?<name>.+)/],
  ])) {
    try {
      const { stdout } = await runToEnd(command, args, { timeoutMs: 3000 });
      const found = pattern.exec(stdout)?.groups;
      if (found) return `${found.name}, process ${found.pid}`;
    } catch {
      // Not on this system, or not allowed to see: the next one.
    }
  }
  return undefined;
}
