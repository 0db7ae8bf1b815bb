import type { IncomingMessage } from 'node:http';

/**
 * As long as a task takes one. A task that refuses a longer body hangs up in the middle of it, and its answer may be lost with the
 * connection; so we are the ones who refuse.
 */
export const mostBodyBytes = 64 * 1024;

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** The client left, or sent something else than it announced: no fault of a task. */
export class BrokenBodyError extends Error {
  override name = 'BrokenBodyError';
}

/** @returns whether a body follows, as far as the headers say @throws BodyTooLargeError if they announce more than a task takes */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? 0);
  if (length > mostBodyBytes) throw new BodyTooLargeError();
  return headers['transfer-encoding'] !== undefined || length > 0;
}

/**
 * The body as it comes.
 * @throws BodyTooLargeError as soon as it is longer than a task takes
 * @throws BrokenBodyError if it ends before its end
 */
export async function* readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  // Not destroyed when a task answers before it has read all: the client's connection has to live for the answer.
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const next = () =>
    chunks.next().catch((cause: unknown) => {
      throw new BrokenBodyError('The body broke off.', { cause });
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
