import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { forward } from './forward.ts';
import { answerProblem, type ProblemCode, problemAnswer } from './problem.ts';
import { checkTask, openTask, rotation, type Task, watchTask } from './tasks.ts';

export interface BalancerOptions {
  /** The tasks' origins, in the order in which they take turns. */
  tasks: readonly string[];
  /** The origin of what answers below `/lab/`. Without one that is answered with a problem. */
  lab?: string | undefined;
  /** `localhost` is both loopback addresses, IPv4 and IPv6. */
  host?: string;
  /** 0 for a free one. */
  port?: number;
  /** The address from which tasks are called, so that they can tell the balancer from others on this machine. */
  localAddress?: string;
  /** Within this time a whole request, its body too, has to be here, however steadily it drips. */
  arrivalMs?: number;
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
  const { tasks: origins, host = 'localhost', port = 0, localAddress, arrivalMs = 10_000, log = () => {} } = options;
  const tasks = origins.map((origin) => openTask(origin, localAddress));
  const labs = options.lab === undefined ? [] : [openTask(options.lab, localAddress)];
  const [nextTask, nextLab] = [rotation(tasks), rotation(labs)];
  const watching = new AbortController();
  // Before the first request comes, we know who is in.
  await Promise.all(tasks.map((task) => checkTask(task, watching.signal)));
  const running = new Set<ServerResponse>();
  let draining = false;

  const servers: Server[] = [];
  const open = async (address: string, listenPort: number) => {
    const take = (request: IncomingMessage, response: ServerResponse) => {
      running.add(response);
      response.once('close', () => {
        running.delete(response);
        if (draining) setImmediate(() => server.closeIdleConnections());
      });
      if (draining) response.setHeader('connection', 'close');
      void forward(request, response, nextTask, nextLab);
    };
    // What Node would refuse with an empty answer, no host or an unknown expectation, `forward` refuses in the API's form.
    const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: 1000 }, take);
    server.on('checkExpectation', take);
    setBounds(server, arrivalMs);
    // CONNECT would make us a tunnel into this machine. An Upgrade is answered as an ordinary request: without a listener Node does so.
    server.on('connect', (_request, socket) => refuse(socket as Socket, ...malformed));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      const problem = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late : malformed;
      const response = [...running].find((each) => each.socket === socket);
      if (!response) return refuse(socket, ...problem);
      // A next message that is broken has no turn before the one in hand is answered; and in the middle of an answer a second one
      // would be read as part of the first.
      if (response.headersSent || response.req.complete) return void socket.destroy();
      answerProblem(response, ...problem);
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
      await Promise.all([...tasks, ...labs].map(({ pool }) => pool.destroy()));
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
function setBounds(server: Server, arrivalMs: number) {
  server.headersTimeout = arrivalMs;
  // Less than the 12 s that a task gives it: so we are the ones who answer.
  server.requestTimeout = arrivalMs;
  server.keepAliveTimeout = 75_000;
  server.maxConnections = 4096;
}

type Refusal = readonly [error: ProblemCode, detail: string];
const malformed: Refusal = ['malformed_request', 'What was sent is not an HTTP request that we pass on.'];
const late: Refusal = [
  'request_timeout',
  'The request did not arrive as a whole within the time that we wait for one.',
];

/** A short answer to what never became a request for a task. */
function refuse(socket: Socket, error: ProblemCode, detail: string) {
  if (!socket.writable) return void socket.destroy();
  const { status, body, headers } = problemAnswer(error, detail);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Whoever does not take its leave is shown out.
  setTimeout(() => socket.destroy(), 1000).unref();
}

function isEventStream(response: ServerResponse) {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
