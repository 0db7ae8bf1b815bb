import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerProblem, type Refusal, refuse } from './problem.ts';

export interface ConnectionLimits {
  /** Of all clients together. */
  maxConnections: number;
  /** Of one client: an IPv4 address, or an IPv6 /64, which is what one household or server gets. */
  maxConnectionsPerClient: number;
  /** How many requests a client may send on one connection ahead of their answers (HTTP pipelining). */
  maxPipelined: number;
  /** How long a client may leave unread what was written to it (write stall). */
  stallMs: number;
  /** How long a connection that is about to close may still take to receive the answers that it is owed. */
  lastAnswersMs: number;
}

/** A client still reads its last answer while we discard what it is still sending; then the connection is destroyed. */
const LINGER_MS = 1000;
/** Requests behind a refusal are parsed, never forwarded, and cost memory; a client that sends more is flooding us. */
const MAX_IGNORED = 4096;

const tooManyConnections: Refusal = ['busy', 'Too many connections are open from this network.'];
const tooManyPipelined: Refusal = ['busy', 'Too many requests were sent ahead of their answers.'];

/**
 * The connections of all clients. Every wait on a client ends: a client that leaves aborts the request in hand, one that does not
 * read is cut off, and none can open or send ahead more than the limits allow.
 */
export function openConnections(limits: ConnectionLimits) {
  const open = new Map<Socket, Connection>();
  const countOfClient = new Map<string, number>();

  const cutOffStalled = setInterval(
    () => {
      for (const [socket, connection] of open) if (connection.hasStalled()) socket.destroy();
    },
    Math.min(1000, limits.stallMs / 4),
  ).unref();

  return {
    /** Called with every new socket. Above a limit it is refused at once. */
    admit(socket: Socket): void {
      const client = clientOf(socket.remoteAddress ?? '');
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
      if (open.size > limits.maxConnections || count > limits.maxConnectionsPerClient) {
        connection.closeAfterAnswers(tooManyConnections);
      }
    },

    /** The connection of a socket; undefined once it is closed. */
    of: (socket: Socket): Connection | undefined => open.get(socket),

    /** The answers that are being written or waited for. */
    answersInHand: (): ServerResponse[] =>
      [...open.values()].flatMap(({ current }) => (current && !current.closed ? [current] : [])),

    stop: () => clearInterval(cutOffStalled),
  };
}

export type Connection = ReturnType<typeof openConnection>;

function openConnection(socket: Socket, { maxPipelined, stallMs, lastAnswersMs }: ConnectionLimits) {
  let attempt: AbortController | undefined;
  let current: ServerResponse | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let unanswered = 0;
  let ignored = 0;
  let isClosing = false;
  let refusal: Refusal | undefined;
  let [bytesWritten, lastProgressAt] = [0, performance.now()];

  // Node destroys a socket as soon as the last byte is written. A client that is still sending would be sent a reset, which
  // discards an answer that it has not read yet (RFC 9112, section 9.6); so we stop sending first, and discard what still comes.
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

    /** Begins a call to a task. @returns its controller, aborted when the client leaves */
    beginAttempt(): AbortController {
      attempt = new AbortController();
      if (socket.destroyed) attempt.abort();
      return attempt;
    },
    abort: () => attempt?.abort(),

    /** Answers the requests of a connection one at a time, in the order in which they came, as HAProxy does. */
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
          // This is the message that broke. The refusal is its answer.
          answerProblem(response, ...refusal);
          refusal = undefined;
        } else await answer();
        if (!response.closed) await once(response, 'close');
        unanswered -= 1;
        if (unanswered === 0 && isClosing && socket.writable) close();
      });
    },

    /** Reads no further request; closes the connection after the answers that it is owed, and the refusal if there is one. */
    closeAfterAnswers(withRefusal?: Refusal): void {
      if (isClosing) return;
      isClosing = true;
      refusal = withRefusal;
      if (unanswered === 0) close();
      else setTimeout(() => socket.destroy(), lastAnswersMs).unref();
    },

    /** Ends a connection whose bytes cannot be read any further. Each message has one answer, and those before it keep theirs. */
    breakOff(why: Refusal): void {
      if (!current || current.req.complete) return void this.closeAfterAnswers(why);
      // The message in hand is the one that broke; its answer may have begun before that.
      if (!isClosing && !current.headersSent) answerProblem(current, ...why);
      this.closeAfterAnswers();
    },

    /** Whether the client has left something unread for too long. */
    hasStalled(): boolean {
      if (socket.writableLength === 0 || socket.bytesWritten !== bytesWritten) {
        bytesWritten = socket.bytesWritten;
        lastProgressAt = performance.now();
      }
      return performance.now() - lastProgressAt >= stallMs;
    },
  };
}

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address. @param address as Node writes a peer's address */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
