import type { ServerResponse } from 'node:http';

const problems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  too_large: { status: 413, title: 'The request is too large' },
  busy: { status: 503, title: 'Too much work is waiting' },
} as const;
export type ProblemCode = keyof typeof problems;

/** Answers in the API's own form (RFC 9457), or breaks off if an answer has begun: it must not look complete. */
export function answerProblem(response: ServerResponse, error: ProblemCode, detail: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = problemBody(error, detail);
  response.writeHead(problems[error].status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...(error === 'busy' ? { 'retry-after': '1' } : {}),
    ...(error === 'malformed_request' ? { connection: 'close' } : {}),
  });
  response.end(body);
}

/** The body alone, for a connection that sent something which is not HTTP. */
export function problemBody(error: ProblemCode, detail: string): string {
  const retryAfter = error === 'busy' ? { retryAfter: 1 } : {};
  return JSON.stringify({ type: `/problems/${error}`, ...problems[error], detail, error, ...retryAfter });
}
