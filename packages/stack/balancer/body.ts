import type { IncomingMessage } from 'node:http';

/**
 * Maximum body size, equal to a task's. A task that refuses a longer body closes the connection in the middle of it, and its
 * response may be lost; so the balancer refuses first.
 */
export const mostBodyBytes = 64 * 1024;

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** The client disconnected or sent a malformed body, which is no fault of a task. */
export class BrokenBodyError extends Error {
  override name = 'BrokenBodyError';
}

/** Returns whether the headers announce a body. @throws BodyTooLargeError if it is larger than a task accepts */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? 0);
  if (length > mostBodyBytes) throw new BodyTooLargeError();
  return headers['transfer-encoding'] !== undefined || length > 0;
}

/**
 * Streams the body.
 * @throws BodyTooLargeError as soon as it exceeds a task's limit
 * @throws BrokenBodyError if it breaks off
 */
export async function* readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  // Not destroyed when a task responds early: the client's connection must stay open for the response.
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const next = () =>
    chunks.next().catch((cause: unknown) => {
      throw new BrokenBodyError('The request body is incomplete.', { cause });
    });
  try {
    for (let read = await next(); !read.done; read = await next()) {
      bytes += read.value.length;
      if (bytes > mostBodyBytes) throw new BodyTooLargeError();
      yield read.value;
    }
  } finally {
    await chunks.return?.();
  }
}
