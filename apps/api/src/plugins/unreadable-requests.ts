import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problems } from '@minitickets/contract';
import { browserHeaders } from './security-headers.ts';

type ClientSocket = Socket & { _httpMessage?: ServerResponse | null };
type ClientError = Error & { code?: string; rawPacket?: unknown };

/** Node's limit for the request line and headers together. */
const MAX_HEAD_BYTES = 16 * 1024;
/** How long a client may take to receive the pending responses of a broken connection. */
const LAST_ANSWERS_MS = 15_000;
/** Node reports every further packet of a broken connection again. */
const broken = new WeakSet<Socket>();

/**
 * Answers malformed or incomplete requests and closes the connection. Malformed bytes after a complete request wait for its
 * response, which may confirm a booking.
 */
export function refuseUnreadable(error: ClientError, socket: ClientSocket) {
  if (broken.has(socket)) return;
  broken.add(socket);
  const begun = socket._httpMessage;
  if (!socket.writable) socket.destroy();
  else if (begun && (begun.headersSent || begun.req.complete)) endAfterAnswers(socket);
  else refuse(socket, whyUnreadable(error));
}

function endAfterAnswers(socket: ClientSocket) {
  setTimeout(() => socket.destroy(), LAST_ANSWERS_MS).unref();
  const end = () => {
    const begun = socket._httpMessage;
    if (begun && (begun.headersSent || begun.req.complete)) begun.once('close', end);
    else socket.destroySoon();
  };
  end();
}

function refuse(socket: Socket, problem: Problem) {
  const { status } = problem;
  const body = JSON.stringify(problem);
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(browserHeaders).map(([name, value]) => `${name}: ${value}`),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  socket.destroySoon();
}

function whyUnreadable({ code, rawPacket }: ClientError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problemOf('request_timeout', 'The request did not arrive completely within the time limit.');
  if (code !== 'HPE_HEADER_OVERFLOW')
    return problemOf('malformed_request', 'The bytes received are not an HTTP request.');
  // The packet is either a request line that is too long by itself, or headers that are.
  return Buffer.isBuffer(rawPacket) && /^[A-Z]+ [^\r\n]*$/.test(rawPacket.toString('latin1', 0, MAX_HEAD_BYTES))
    ? problemOf('uri_too_long', 'The request line and headers may have at most 16 KiB together.')
    : problemOf('headers_too_large', 'The request line and headers may have at most 16 KiB together.');
}

function problemOf(
  error: 'request_timeout' | 'malformed_request' | 'uri_too_long' | 'headers_too_large',
  detail: string,
): Problem {
  return { type: `/problems/${error}`, ...problems[error], detail, error };
}
