import type { ServerResponse } from 'node:http';

const problems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  busy: { status: 503, title: 'Too much work is waiting' },
} as const;

/** Answers in the API's own form (RFC 9457), or breaks off if an answer has begun: it must not look complete. */
export function answerProblem(response: ServerResponse, error: keyof typeof problems, detail: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = problemBody(error, detail);
  response.writeHead(problems[error].status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...(error === 'busy' ? { 'retry-after': '1' } : { connection: 'close' }),
  });
  response.end(body);
}

/** The body alone, for a connection that sent something which is not HTTP. */
export function problemBody(error: keyof typeof problems, detail: string): string {
  const retryAfter = error === 'busy' ? { retryAfter: 1 } : {};
  return JSON.stringify({ type: `/problems/${error}`, ...problems[error], detail, error, ...retryAfter });
}
