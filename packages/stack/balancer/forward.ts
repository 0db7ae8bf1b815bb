import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { requestHeaders, responseHeaders } from './headers.ts';
import { answerProblem } from './problem.ts';
import { readRequestTarget } from './request-target.ts';
import type { Task } from './tasks.ts';

/**
 * Hands a request to a task and its answer to the client, byte by byte as they come. Another task is asked only if the connection
 * was refused, when nothing was sent: a request that a task may have read is never sent twice, or a booking would be made twice.
 * @param nextTask a task that is not among those tried, or undefined when all were
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  nextTask: (tried: ReadonlySet<Task>) => Task | undefined,
): Promise<void> {
  const call = readCall(request);
  if (!call)
    return answerProblem(response, 'malformed_request', 'The request line or its framing is not one that we pass on.');

  // A client that leaves takes its request with it.
  const gone = new AbortController();
  response.once('close', () => gone.abort());

  const tried = new Set<Task>();
  for (let task = nextTask(tried); task && !gone.signal.aborted; task = nextTask(tried)) {
    tried.add(task);
    try {
      // Not destroyed when a task answers before it has read all: the client's connection has to live for the answer.
      const body = call.hasBody ? request.iterator({ destroyOnReturn: false }) : null;
      const answer = await task.pool.request({
        ...call.options,
        body,
        signal: gone.signal,
      } as Dispatcher.RequestOptions);
      return await passOn(answer, response);
    } catch (error) {
      if (cannotBeSent(error))
        return answerProblem(response, 'malformed_request', 'The headers are not ones that we pass on.');
      if (!wasRefused(error)) {
        return answerProblem(
          response,
          'busy',
          'A task took the request but did not answer. Whether it was carried out is not known.',
        );
      }
      task.ready = false;
    }
  }
  answerProblem(response, 'busy', 'No task answers at the moment.');
}

async function passOn({ statusCode, headers, body }: Dispatcher.ResponseData, response: ServerResponse): Promise<void> {
  response.statusCode = statusCode;
  response.setHeaders(new Map(Object.entries(responseHeaders(headers))));
  // An event stream begins before it has anything to say.
  if (headers['content-length'] === undefined) response.flushHeaders();
  // When either side breaks off in the middle, so does the other: an answer that is cut must not look complete.
  await pipeline(body, response).catch(() => {});
}

/** What to ask of a task, or undefined if the request is not one to pass on. */
function readCall(request: IncomingMessage) {
  const { method = 'GET', rawHeaders, socket } = request;
  const target = readRequestTarget(request.url ?? '');
  const encoding = request.headers['transfer-encoding'];
  // Two hosts, or an encoding that the next server might read otherwise than we do, are how requests are smuggled.
  const isAmbiguous =
    countOf('host', rawHeaders) > 1 || (encoding !== undefined && encoding.toLowerCase() !== 'chunked');
  if (!target || isAmbiguous) return undefined;

  const headers = target.host === undefined ? rawHeaders : withHost(rawHeaders, target.host);
  const client = { address: socket.remoteAddress ?? '', protocol: 'encrypted' in socket ? 'https' : 'http' } as const;
  return {
    hasBody: encoding !== undefined || Number(request.headers['content-length'] ?? 0) > 0,
    options: { method, path: target.path, headers: requestHeaders(headers, client) },
  };
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

function wasRefused(error: unknown) {
  return codeOf(error) === 'ECONNREFUSED';
}

function cannotBeSent(error: unknown) {
  return codeOf(error) === 'UND_ERR_INVALID_ARG' || codeOf(error) === 'UND_ERR_NOT_SUPPORTED';
}

function codeOf(error: unknown) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
