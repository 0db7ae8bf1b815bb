import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { BodyTooLargeError, BrokenBodyError, hasBody, mostBodyBytes, readBody } from './body.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { answerProblem, type ProblemCode } from './problem.ts';
import { readRequestTarget } from './request-target.ts';
import type { Task } from './tasks.ts';

/**
 * Hands a request to a task and its answer to the client, byte by byte as they come. Another task is asked only if the connection
 * was refused, when nothing was sent: a request that a task may have read is never sent twice, or a booking would be made twice.
 * What is below `/lab/` is the lab's, which is no task and has no turns.
 * @param nextTask a task that is not among those tried, or undefined when all were
 * @param nextLab the same of the lab; undefined at once if there is none
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  nextTask: (tried: ReadonlySet<Task>) => Task | undefined,
  nextLab: (tried: ReadonlySet<Task>) => Task | undefined,
): Promise<void> {
  // A client that leaves takes its request with it.
  const gone = new AbortController();
  response.once('close', () => gone.abort());

  const tried = new Set<Task>();
  try {
    const call = { ...readCall(request), signal: gone.signal };
    const withBody = hasBody(request);
    const isForLab = call.path.startsWith('/lab/');
    const next = isForLab ? nextLab : nextTask;
    for (let task = next(tried); task && !gone.signal.aborted; task = next(tried)) {
      tried.add(task);
      try {
        const body = withBody ? readBody(request) : null;
        return await passOn(await task.pool.request({ ...call, body } as Dispatcher.RequestOptions), response);
      } catch (error) {
        if (codeOf(error) !== 'ECONNREFUSED') throw error;
        task.out = true;
      }
    }
    if (isForLab) answerProblem(response, 'lab_not_running', 'Nothing answers below /lab/ at the moment.');
    else answerProblem(response, 'busy', 'No task answers at the moment.');
  } catch (error) {
    answerProblem(response, ...problemOf(error));
  } finally {
    // What nobody wants to read any more must not stand in the way of the client's next request.
    request.resume();
  }
}

function problemOf(error: unknown): [code: ProblemCode, detail: string] {
  if (error instanceof BodyTooLargeError) return ['too_large', `A body has at most ${mostBodyBytes} bytes.`];
  if (error instanceof BrokenBodyError) return ['malformed_request', 'The body broke off before its end.'];
  const code = codeOf(error);
  if (error instanceof UnclearRequestError || code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return ['malformed_request', 'The request line or its headers are not ones that we pass on.'];
  }
  return ['busy', 'A task took the request but did not answer. Whether it was carried out is not known.'];
}

async function passOn({ statusCode, headers, body }: Dispatcher.ResponseData, response: ServerResponse): Promise<void> {
  response.statusCode = statusCode;
  response.setHeaders(new Map(Object.entries(responseHeaders(headers))));
  // An event stream begins before it has anything to say.
  if (headers['content-length'] === undefined) response.flushHeaders();
  // When either side breaks off in the middle, so does the other: an answer that is cut must not look complete.
  await pipeline(body, response).catch(() => {});
}

class UnclearRequestError extends Error {
  override name = 'UnclearRequestError';
}

/** What to ask of a task. @throws UnclearRequestError if the next server might read the request otherwise than we do */
function readCall({ method = 'GET', url = '', rawHeaders, headers, httpVersion, socket }: IncomingMessage) {
  const target = readRequestTarget(url);
  const encoding = headers['transfer-encoding'];
  const hosts = countOf('host', rawHeaders);
  // Two hosts, or an encoding that hides where the body ends, are how requests are smuggled. None is for HTTP/1.0.
  const hasOneHost = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  const isClear = hasOneHost && (encoding === undefined || encoding.toLowerCase() === 'chunked');
  const isExpected = headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  if (!target || !isClear || !isExpected) throw new UnclearRequestError();

  const client = { address: socket.remoteAddress ?? '', protocol: 'encrypted' in socket ? 'https' : 'http' } as const;
  const named = target.host === undefined ? rawHeaders : withHost(rawHeaders, target.host);
  return { method, path: target.path, headers: requestHeaders(named, client) };
}

function withHost(raw: readonly string[], host: string): string[] {
  const others = raw.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'host' ? [name, raw[index + 1] ?? ''] : [],
  );
  return ['Host', host, ...others];
}

function countOf(name: string, raw: readonly string[]) {
  return raw.filter((word, index) => index % 2 === 0 && word.toLowerCase() === name).length;
}

function codeOf(error: unknown) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
