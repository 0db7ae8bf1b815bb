import { once } from 'node:events';
import { createServer } from 'node:net';

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
