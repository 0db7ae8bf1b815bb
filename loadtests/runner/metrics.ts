import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves the tasks' metrics on the loopback to a script whose balancer hides them. Each request reads the next task's.
 * @param readMetrics reads one task's metrics as text, by its number from 0
 */
export async function serveMetrics(tasks: number, readMetrics: (task: number) => Promise<string>) {
  let turn = 0;
  const server = createServer((_request, response) => {
    const task = turn++ % tasks;
    readMetrics(task).then(
      (text) => response.end(text),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/metrics`, close: () => server.close() };
}
