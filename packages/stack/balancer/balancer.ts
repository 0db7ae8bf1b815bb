import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { addressMatcher } from '@minitickets/contract/address-ranges';
import { type ConnectionLimits, openConnections } from './connections.ts';
import { forward } from './forward.ts';
import { type Refusal, refuse } from './problem.ts';
import { checkReadiness, closeTask, inTurn, openTask, rotation, type Task, watchTask } from './tasks.ts';
import { whyUnreadable } from './unreadable.ts';

export interface BalancerOptions {
  /** The tasks' origins, in round-robin order. */
  tasks: readonly string[];
  /** The lab's origin, for paths below `/lab/`. Without it those paths get a problem. */
  lab?: string | undefined;
  /** `localhost` means both loopback addresses, IPv4 and IPv6. */
  host?: string;
  /** 0 chooses a free port. */
  port?: number;
  /** Sent with each request to a task, to prove that its forwarding headers are the balancer's. */
  proxySecret?: string | undefined;
  /** Addresses or CIDR ranges of a proxy in front, whose X-Forwarded-For names the client. */
  trustedFront?: readonly string[];
  /** The public URL of the balancer. Besides loopback names, only its host is accepted. */
  publicUrl?: string | undefined;
  /** Deadline for receiving a whole request including its body, however steadily it trickles in. */
  arrivalMs?: number;
  /** Limits per client and in total; each has a default. */
  limits?: Partial<ConnectionLimits>;
  log?: (line: string) => void;
}

export interface Balancer {
  url: string;
  port: number;
  /** The origins of the tasks that currently get requests. */
  tasksInTurn(): string[];
  /** Accepts no new requests and waits at most `drainMs` for running ones; event streams, which never end, are closed at once. */
  stop(drainMs?: number): Promise<void>;
}

const defaultLimits: ConnectionLimits = {
  maxConnections: 4096,
  // Half of the total, so that one client cannot take all connections. A local load test is one client.
  maxConnectionsPerClient: 2048,
  maxPipelined: 64,
  stallMs: 20_000,
  lastAnswersMs: 10_000,
};

/**
 * Starts a load balancer in front of the API tasks: strict round robin, no buffering, trustworthy forwarding headers.
 * @throws if the port is taken, or `trustedFront` contains an invalid range
 */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { tasks: origins, host = 'localhost', port = 0, arrivalMs = 10_000, log = () => {} } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const openUpstream = (origin: string) => openTask(origin, limits.maxConnections);
  const isFront = addressMatcher(options.trustedFront ?? []);
  const tasks = origins.map(openUpstream);
  const labs = options.lab === undefined ? [] : [openUpstream(options.lab)];
  const { publicUrl, proxySecret } = options;
  const upstreams = { nextTask: rotation(tasks), nextLab: rotation(labs), publicUrl, isFront, proxySecret };
  // The lab has no health checks: it is the only target, whatever its state. `unready` gives its reads the longer deadline.
  for (const lab of labs) lab.state = 'unready';
  const watching = new AbortController();
  // The state of every task is known before the first request arrives.
  await Promise.all(tasks.map((task) => checkReadiness(task, watching.signal)));
  const connections = openConnections(limits, isFront);
  let draining = false;

  const servers: Server[] = [];
  const open = async (address: string, listenPort: number) => {
    const take = (request: IncomingMessage, response: ServerResponse) => {
      const connection = connections.of(request.socket);
      if (!connection) return;
      connection.take(request, response, () => {
        if (draining) response.setHeader('connection', 'close');
        return forward(request, response, connection, upstreams);
      });
    };
    // Node would refuse a missing Host or an unknown Expect with an empty response; `forward` refuses them with a problem.
    const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: 1000 }, take);
    server.on('connection', connections.admit);
    server.on('checkExpectation', take);
    setBounds(server, arrivalMs, limits.maxConnections);
    // CONNECT would open a tunnel into this machine. Without a listener, Node handles an Upgrade as an ordinary request.
    server.on('connect', (_request, socket) => refuse(socket as Socket, ...malformed));
    server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
      const connection = connections.of(socket);
      if (!connection) return void socket.destroy();
      connection.breakOff(whyUnreadable(error));
    });
    server.listen(listenPort, address);
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const actualPort = await openAll(host, port, open).catch((error: unknown) => {
    for (const server of servers) server.close();
    throw error;
  });

  const onChange = (task: Task) => log(`${task.origin} is ${task.state}`);
  const watchers = tasks.map((task) => watchTask(task, watching.signal, onChange));

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    port: actualPort,
    tasksInTurn: () => inTurn(tasks).map((task) => task.origin),
    async stop(drainMs = 5000) {
      draining = true;
      watching.abort();
      const closed = servers.map((server) => once(server, 'close'));
      for (const server of servers) server.close();
      for (const response of connections.answersInHand()) {
        if (isEventStream(response)) response.destroy();
        else if (!response.headersSent) response.setHeader('connection', 'close');
        else response.once('close', () => setImmediate(() => servers.map((server) => server.closeIdleConnections())));
      }
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
      }, drainMs);
      await Promise.all([...closed, ...watchers]);
      clearTimeout(cut);
      connections.stop();
      await Promise.all([...tasks, ...labs].map(closeTask));
    },
  };
}

async function openAll(host: string, port: number, open: (address: string, port: number) => Promise<number>) {
  if (host !== 'localhost') return await open(host, port);
  const actualPort = await open('127.0.0.1', port);
  try {
    await open('::1', actualPort);
  } catch (error) {
    // A machine without IPv6 is fine. Another process on our port is not, because browsers would reach it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error;
  }
  return actualPort;
}

/** Bounds every wait for a client and everything that a client can open. */
function setBounds(server: Server, arrivalMs: number, maxConnections: number) {
  server.headersTimeout = arrivalMs;
  // Shorter than a task's 12 s, so that the balancer responds first.
  server.requestTimeout = arrivalMs;
  server.keepAliveTimeout = 30_000;
  // Connections above the balancer's own limit get a response; above this one they are dropped without.
  server.maxConnections = 2 * maxConnections;
}

const malformed: Refusal = [
  'malformed_request',
  'The bytes received are not an HTTP request that the balancer forwards.',
];

function isEventStream(response: ServerResponse) {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
