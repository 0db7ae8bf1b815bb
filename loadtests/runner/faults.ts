import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askRedis } from '../../packages/stack/stores/resp.mjs';

/** Injects faults into a stack's stores. `restartPostgres` resolves after the restart, `pauseRedis` when the pause has begun. */
export type Faults = {
  /** For this long, Redis accepts connections and commands and replies to none. */
  pauseRedis: (ms: number) => Promise<void>;
  restartPostgres: () => Promise<void>;
};

const MAX_PAUSE_MS = 60_000;

export async function pauseRedis(redisUrl: string, ms: number) {
  const reply = await askRedis(redisUrl, `CLIENT PAUSE ${ms} ALL`);
  if (reply !== '+OK') throw new Error(`Redis did not pause: ${reply}`);
}

/**
 * Serves fault injection to the script, which decides when a store fails. It listens on the loopback under an unguessable path,
 * because any page in a browser can call the loopback.
 */
export async function serveFaults(faults: Faults) {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    const work = faultOf(request);
    if (!work) return void response.writeHead(404).end();
    work().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  function faultOf({ method, url = '/' }: IncomingMessage) {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const ms = Math.min(MAX_PAUSE_MS, Number(searchParams.get('ms')) || 1000);
    if (method !== 'POST') return undefined;
    if (pathname === `${path}/redis-pause`) return () => faults.pauseRedis(ms);
    if (pathname === `${path}/postgres-restart`) return () => faults.restartPostgres();
    return undefined;
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${path}`, close: () => server.close() };
}
