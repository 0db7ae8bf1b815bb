import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** The problems of the contract that a balancer can return. */
export const problems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  too_large: { status: 413, title: 'The request is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  misdirected_request: { status: 421, title: 'This server does not answer for that host' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  busy: { status: 503, title: 'The service is busy' },
  outcome_unknown: { status: 503, title: 'It is unknown whether the request was carried out' },
  lab_not_running: { status: 503, title: 'The lab is not running' },
} as const;
export type ProblemCode = keyof typeof problems;

export type Refusal = readonly [error: ProblemCode, detail: string];

/** After these problems the start of the next message is unknown, so the connection is closed. */
const endsConnection = new Set<ProblemCode>([
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
]);

/** Sends a problem document (RFC 9457), or destroys a response that has started, which must not look complete. */
export function answerProblem(response: ServerResponse, error: ProblemCode, detail: string): void {
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error, detail);
  if (endsConnection.has(error)) response.setHeader('connection', 'close');
  response.writeHead(status, headers).end(body);
}

/** Sends a problem on the raw socket for bytes that never became a request, and closes the connection. */
export function refuse(socket: Socket, error: ProblemCode, detail: string): void {
  if (!socket.writable) return void socket.destroy();
  const { status, body, headers } = problemAnswer(error, detail);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.destroySoon();
}

function problemAnswer(error: ProblemCode, detail: string) {
  const isTemporary = error === 'busy' || error === 'outcome_unknown';
  const body = JSON.stringify({
    type: `/problems/${error}`,
    ...problems[error],
    detail,
    error,
    ...(isTemporary && { retryAfter: 1 }),
  });
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...(isTemporary && { 'retry-after': '1' }),
  };
  return { status: problems[error].status, headers, body };
}
