import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * A client for load: keep-alive connections that send prepared bytes and read no more of a response than its status and its end.
 * `fetch` and undici cost more CPU per request than the fastest arms, and the client shares the machine with them.
 */
export function keepAliveClient(url: string, connections: number) {
  const { hostname, port } = new URL(url);
  let all: Lane[] = [];
  let idle: Lane[] = [];
  const close = () => {
    for (const lane of all) lane.close();
  };
  return {
    /** Opens new connections: a server closes those that were idle while other arms had their turn. */
    async open() {
      close();
      const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      all = sockets.map((socket) => new Lane(socket));
      idle = [...all];
    },
    /** Sends one request. @throws Error if the response has another status */
    async expect(status: number, request: Buffer) {
      const lane = idle.pop();
      if (!lane) throw new Error(`more than ${connections} callers`);
      const got = await lane.send(request);
      idle.push(lane);
      if (got !== status) throw new Error(`${request.toString().split('\r\n')[0]}: ${got}, not ${status}`);
    },
    close,
  };
}

/** Returns the bytes of a request to the loopback. */
export function requestBytes(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const lines = Object.entries({
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body}`);
}

const NOTHING = Buffer.alloc(0);

/** One connection: one request at a time. */
class Lane {
  readonly #socket: Socket;
  #received: Buffer = NOTHING;
  #turn: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#read(bytes as Buffer));
    const fail = (error = new Error('the connection was closed')) => this.#turn?.reject(error);
    socket.on('error', fail);
    socket.on('close', () => fail());
    socket.setTimeout(20_000, () => socket.destroy(new Error('no response within 20 s')));
  }

  send(request: Buffer) {
    return new Promise<number>((resolve, reject) => {
      this.#turn = { resolve, reject };
      if (this.#socket.destroyed) reject(new Error('the connection was closed'));
      else this.#socket.write(request);
    });
  }

  close() {
    this.#turn = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer) {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const status = statusOfWhole(this.#received);
    if (status === undefined) return;
    this.#received = NOTHING;
    this.#turn?.resolve(status);
  }
}

/** Returns the status of a response, or undefined while a part of it is missing. */
function statusOfWhole(bytes: Buffer) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isWhole =
    length === undefined
      ? status === 204 || status === 304 || bytes.subarray(-5).equals(LAST_CHUNK)
      : bytes.length >= headEnd + 4 + Number(length);
  return isWhole ? status : undefined;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
