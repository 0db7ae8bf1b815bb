import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askRedis } from '../../packages/stack/stores/resp.mjs';

/** How a stack's stores are taken away. Each returns when the fault is over, or, for a pause, has begun. */
export type Faults = {
  /** Redis takes connections and commands and answers none of them for so long. It ends by itself. */
  pauseRedis: (ms: number) => Promise<void>;
  restartPostgres: () => Promise<void>;
};

const LONGEST_PAUSE_MS = 60_000;

export async function pauseRedis(redisUrl: string, ms: number) {
  const answer = await askRedis(redisUrl, `CLIENT PAUSE ${ms} ALL`);
  if (answer !== '+OK') throw new Error(`Redis did not pause: ${answer}`);
}

/**
 * Lets the script decide when a store goes: it knows how far it is, and sees the answers. Only on the loopback, and under a
 * path that nobody can guess, as any page in a browser can call the loopback.
 */
export async function serveFaults(faults: Faults) {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    const work = faultFor(request);
    if (!work) return void response.writeHead(404).end();
    work().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  function faultFor({ method, url = '/' }: IncomingMessage) {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const ms = Math.min(LONGEST_PAUSE_MS, Number(searchParams.get('ms')) || 1000);
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
