import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problems } from '@minitickets/contract';
import { browserHeaders } from './security-headers.ts';

/** Answers what never became a request, or not as a whole: Node hands over the bare connection, and it ends with the answer. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket & { _httpMessage?: ServerResponse }) {
  const begun = socket._httpMessage;
  // A next message that is broken has no turn before the one in hand is answered, and there is one answer to each.
  if (!socket.writable || begun?.headersSent || begun?.req.complete) return void socket.destroy();
  const problem =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? problemOf('request_timeout', 'The request did not arrive as a whole within the time that we wait for one.')
      : problemOf('malformed_request', 'What was sent is not an HTTP request.');
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

function problemOf(error: 'request_timeout' | 'malformed_request', detail: string): Problem {
  return { type: `/problems/${error}`, ...problems[error], detail, error };
}
