import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Attempt } from './attempt.ts';
import { answerProblem, type Refusal, refuse } from './problem.ts';

export interface ConnectionLimits {
  /** Maximum number of connections of all clients together. */
  maxConnections: number;
  /** Maximum per client: an IPv4 address or an IPv6 /64, which is what one household or server gets. */
  maxConnectionsPerClient: number;
  /** Maximum number of pipelined requests on one connection. */
  maxPipelined: number;
  /** Write-stall timeout: how long a client may leave written data unread. */
  stallMs: number;
  /** How long a closing connection may take to receive its pending responses. */
  lastAnswersMs: number;
}

/** Lingering close: the client reads its last response while its further data are discarded; then the connection is destroyed. */
const LINGER_MS = 1000;
/** Requests behind a refusal are parsed but not forwarded, and cost memory; a client that sends more than this is disconnected. */
const MAX_IGNORED = 4096;

const tooManyConnections: Refusal = ['busy', 'Too many connections are open from this network.'];
const tooManyPipelined: Refusal = ['busy', 'Too many requests were sent ahead of their answers.'];

/**
 * Tracks the connections of all clients. Every wait on a client ends: a disconnect aborts the request in flight, a client that
 * does not read is disconnected, and no client can open or pipeline more than the limits allow.
 * @param isFront whether an address is a trusted proxy, whose connections carry many clients: the limit per client does not apply
 */
export function openConnections(limits: ConnectionLimits, isFront: (address: string) => boolean) {
  const open = new Map<Socket, Connection>();
  const countOfClient = new Map<string, number>();

  const cutOffStalled = setInterval(
    () => {
      for (const [socket, connection] of open) if (connection.hasStalled()) socket.destroy();
    },
    Math.min(1000, limits.stallMs / 4),
  ).unref();

  return {
    /** Registers a new socket; above a limit it is refused at once. */
    admit(socket: Socket): void {
      const peer = socket.remoteAddress ?? '';
      const client = clientOf(peer);
      const count = (countOfClient.get(client) ?? 0) + 1;
      const connection = openConnection(socket, limits);
      open.set(socket, connection);
      countOfClient.set(client, count);
      socket.once('close', () => {
        open.delete(socket);
        const left = (countOfClient.get(client) ?? 1) - 1;
        if (left === 0) countOfClient.delete(client);
        else countOfClient.set(client, left);
        connection.abort();
      });
      if (open.size > limits.maxConnections || (count > limits.maxConnectionsPerClient && !isFront(peer))) {
        connection.closeAfterAnswers(tooManyConnections);
      }
    },

    /** Returns the connection of a socket; undefined once it is closed. */
    of: (socket: Socket): Connection | undefined => open.get(socket),

    /** The responses that are pending or being written. */
    answersInHand: (): ServerResponse[] =>
      [...open.values()].flatMap(({ current }) => (current && !current.closed ? [current] : [])),

    stop: () => clearInterval(cutOffStalled),
  };
}

export type Connection = ReturnType<typeof openConnection>;

function openConnection(socket: Socket, { maxPipelined, stallMs, lastAnswersMs }: ConnectionLimits) {
  let attempt: Attempt | undefined;
  let current: ServerResponse | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let unanswered = 0;
  let ignored = 0;
  let isClosing = false;
  let refusal: Refusal | undefined;
  let [bytesWritten, lastProgressAt] = [0, performance.now()];

  // Node destroys a socket as soon as the last byte is written. A client that is still sending would get a TCP reset, which
  // discards its unread response (RFC 9112, section 9.6); so the socket is half-closed first and further data are discarded.
  socket.destroySoon = () => {
    isClosing = true;
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };

  const close = () => (refusal ? refuse(socket, ...refusal) : socket.destroySoon());

  return {
    get current() {
      return current;
    },
    get isGone() {
      return socket.destroyed;
    },

    /** Returns a new call to a task, which is aborted when the client disconnects. */
    beginAttempt(): Attempt {
      attempt = new Attempt();
      if (socket.destroyed) attempt.abort();
      return attempt;
    },
    abort: () => attempt?.abort(),

    /** Handles the requests of a connection one at a time in order of arrival, like HAProxy. */
    take(request: IncomingMessage, response: ServerResponse, answer: () => Promise<void>): void {
      if (isClosing) {
        ignored += 1;
        if (ignored > MAX_IGNORED) socket.destroy();
        return;
      }
      if (unanswered >= maxPipelined) return void this.closeAfterAnswers(tooManyPipelined);
      unanswered += 1;
      turn = turn.then(async () => {
        if (socket.destroyed) return;
        current = response;
        if (refusal && !request.complete) {
          // This is the malformed message, and the refusal is its response.
          answerProblem(response, ...refusal);
          refusal = undefined;
        } else await answer();
        if (!response.closed) await once(response, 'close');
        unanswered -= 1;
        if (unanswered === 0 && isClosing && socket.writable) close();
      });
    },

    /** Accepts no further requests and closes the connection after its pending responses and the refusal, if any. */
    closeAfterAnswers(withRefusal?: Refusal): void {
      if (isClosing) return;
      isClosing = true;
      refusal = withRefusal;
      if (unanswered === 0) close();
      else setTimeout(() => socket.destroy(), lastAnswersMs).unref();
    },

    /** Ends a connection whose bytes can no longer be parsed. Earlier messages still get their responses. */
    breakOff(why: Refusal): void {
      if (!current || current.req.complete) return void this.closeAfterAnswers(why);
      // The current message is the malformed one; its response may already have started.
      if (!isClosing && !current.headersSent) answerProblem(current, ...why);
      this.closeAfterAnswers();
    },

    /** Whether the client has exceeded the write-stall timeout. */
    hasStalled(): boolean {
      if (socket.writableLength === 0 || socket.bytesWritten !== bytesWritten) {
        bytesWritten = socket.bytesWritten;
        lastProgressAt = performance.now();
      }
      return performance.now() - lastProgressAt >= stallMs;
    },
  };
}

/** Returns what counts as one client: an IPv4 address, or the /64 of an IPv6 address. @param address a peer's address as Node formats it */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
