import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { forward } from './forward.ts';
import { problemBody } from './problem.ts';
import { checkTask, openTask, rotation, type Task, watchTask } from './tasks.ts';

export interface BalancerOptions {
  /** The tasks' origins, in the order in which they take turns. */
  tasks: readonly string[];
  /** `localhost` is both loopback addresses, IPv4 and IPv6. */
  host?: string;
  /** 0 for a free one. */
  port?: number;
  /** The address from which tasks are called, so that they can tell the balancer from others on this machine. */
  localAddress?: string;
  log?: (line: string) => void;
}

export interface Balancer {
  url: string;
  port: number;
  /** The origins of the tasks that have turns now. */
  tasksInTurn(): string[];
  /** Takes no new request, lets the running ones end for at most `drainMs`; event streams, which never end, are cut at once. */
  stop(drainMs?: number): Promise<void>;
}

/**
 * A load balancer in front of the API tasks: strict turns, no buffering, and its own word on who the client is.
 * @throws if the port is taken
 */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { tasks: origins, host = 'localhost', port = 0, localAddress, log = () => {} } = options;
  const tasks = origins.map((origin) => openTask(origin, localAddress));
  const nextTask = rotation(tasks);
  const watching = new AbortController();
  // Before the first request comes, we know who is in.
  await Promise.all(tasks.map((task) => checkTask(task, watching.signal)));
  const running = new Set<ServerResponse>();
  let draining = false;

  const servers: Server[] = [];
  const open = async (address: string, listenPort: number) => {
    const server = createServer((request, response) => {
      running.add(response);
      response.once('close', () => {
        running.delete(response);
        if (draining) setImmediate(() => server.closeIdleConnections());
      });
      if (draining) response.setHeader('connection', 'close');
      void forward(request, response, nextTask);
    });
    setBounds(server);
    // CONNECT would make us a tunnel into this machine. An Upgrade is answered as an ordinary request: without a listener Node does so.
    server.on('connect', (_request, socket) => refuse(socket as Socket));
    // In the middle of an answer a second one would be read as part of the first.
    const isAnswering = (socket: Socket) => [...running].some((response) => response.socket === socket);
    server.on('clientError', (_error, socket: Socket) => (isAnswering(socket) ? socket.destroy() : refuse(socket)));
    server.listen(listenPort, address);
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const actualPort = await openAll(host, port, open).catch((error: unknown) => {
    for (const server of servers) server.close();
    throw error;
  });

  const onChange = (task: Task) => log(`${task.origin} is ${task.out ? 'out' : 'in turn'}`);
  const watchers = tasks.map((task) => watchTask(task, watching.signal, onChange));

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    port: actualPort,
    tasksInTurn: () => tasks.filter((task) => !task.out).map((task) => task.origin),
    async stop(drainMs = 5000) {
      draining = true;
      watching.abort();
      const closed = servers.map((server) => once(server, 'close'));
      for (const server of servers) server.close();
      for (const response of running) if (isEventStream(response)) response.destroy();
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, drainMs);
      await Promise.all([...closed, ...watchers]);
      clearTimeout(cut);
      await Promise.all(tasks.map(({ pool }) => pool.destroy()));
    },
  };
}

async function openAll(host: string, port: number, open: (address: string, port: number) => Promise<number>) {
  if (host !== 'localhost') return await open(host, port);
  const actualPort = await open('127.0.0.1', port);
  try {
    await open('::1', actualPort);
  } catch (error) {
    // A machine without IPv6 is fine. Somebody else on our port is not: browsers would go there.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error;
  }
  return actualPort;
}

/** Every wait for a client has a deadline, and there is a most of everything. */
function setBounds(server: Server) {
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 75_000;
  server.maxConnections = 4096;
}

/** A short answer to what is not an HTTP request for a task. */
function refuse(socket: Socket) {
  if (!socket.writable) return void socket.destroy();
  const body = problemBody('malformed_request', 'What was sent is not an HTTP request that we pass on.');
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function isEventStream(response: ServerResponse) {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
