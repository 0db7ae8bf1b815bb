import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Balancer, type BalancerOptions, startBalancer } from '../balancer.ts';

export type StandIn = { origin: string; server: Server; health: RequestListener };

/** Starts a stand-in for an API task. It is healthy until the test changes `health`; `listener` handles other requests. */
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

/** Returns a listener that responds with its name. */
export const named =
  (name: string): RequestListener =>
  (_incoming, response) =>
    response.end(name);

/** Sends raw bytes, one for each character; `reply` follows once an answer arrives. @returns the bytes received until the connection closes, or for 5 s */
export async function sendRaw(
  port: number,
  bytes: string,
  { host = '127.0.0.1', ends = false, drip = '', reply = '' } = {},
): Promise<string> {
  const socket = connect({ port, host, allowHalfOpen: true });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    if (answer === '' && reply) socket.write(reply);
    answer += text;
  });
  socket.on('error', () => {}); // A reset closes the socket, which ends the wait.
  socket.setTimeout(5000, () => socket.destroy());
  socket.once('end', () => socket.end());
  socket.write(bytes, 'latin1');
  if (ends) socket.end();
  const dripping = setInterval(() => drip && socket.writable && socket.write(drip), 50);
  await once(socket, 'close');
  clearInterval(dripping);
  return answer;
}

/** Parses the JSON body of the only response in some bytes. */
export const jsonOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

/** Reads a whole body. */
export async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}
