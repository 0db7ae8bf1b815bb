import type { ServerResponse } from 'node:http';

/** The problems of the contract that a balancer can return. */
export const problems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  too_large: { status: 413, title: 'The request is too large' },
  busy: { status: 503, title: 'The service is busy' },
  lab_not_running: { status: 503, title: 'The lab is not running' },
} as const;
export type ProblemCode = keyof typeof problems;

/** Answers in the API's own form (RFC 9457), or breaks off if an answer has begun: it must not look complete. */
export function answerProblem(response: ServerResponse, error: ProblemCode, detail: string): void {
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error, detail);
  response.writeHead(status, headers).end(body);
}

/** The parts of such an answer. After a request that came broken the connection ends: where the next would begin is not known. */
export function problemAnswer(error: ProblemCode, detail: string) {
  const retryAfter = error === 'busy' ? { retryAfter: 1 } : {};
  const body = JSON.stringify({ type: `/problems/${error}`, ...problems[error], detail, error, ...retryAfter });
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...(error === 'busy' ? { 'retry-after': '1' } : {}),
    ...(error === 'malformed_request' || error === 'request_timeout' ? { connection: 'close' } : {}),
  };
  return { status: problems[error].status, headers, body };
}
