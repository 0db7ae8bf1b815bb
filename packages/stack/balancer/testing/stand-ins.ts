import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Balancer, type BalancerOptions, startBalancer } from '../balancer.ts';

export type StandIn = { origin: string; server: Server; health: RequestListener };

/** Starts a stand-in for an API task: healthy until the test changes `health`, and answering all else by `listener`. */
export async function startTask(listener: RequestListener): Promise<StandIn> {
  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith('/health/')) task.health(incoming, response);
    else listener(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const health: RequestListener = (_incoming, response) => response.end();
  const task = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, health };
  return task;
}

/** Starts a balancer that is stopped after the test. */
export async function balance(tasks: readonly string[], options: Partial<BalancerOptions> = {}): Promise<Balancer> {
  const balancer = await startBalancer({ tasks, ...options });
  onTestFinished(() => balancer.stop(0));
  return balancer;
}

/** A listener that answers its name. */
export const named =
  (name: string): RequestListener =>
  (_incoming, response) =>
    response.end(name);

/** Sends bytes that no HTTP client would send. @returns what comes back until the connection is closed, or for 5 s */
export async function sendRaw(
  port: number,
  bytes: string,
  { host = '127.0.0.1', ends = false, drip = '' } = {},
): Promise<string> {
  const socket = connect({ port, host, allowHalfOpen: true });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {}); // A reset closes the socket, which is what we wait for.
  socket.setTimeout(5000, () => socket.destroy());
  socket.once('end', () => socket.end());
  socket.write(bytes);
  if (ends) socket.end();
  const dripping = setInterval(() => drip && socket.writable && socket.write(drip), 50);
  await once(socket, 'close');
  clearInterval(dripping);
  return answer;
}

/** The body of the only answer in some bytes, read as JSON. */
export const jsonOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

/** Reads a whole body. */
export async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}
