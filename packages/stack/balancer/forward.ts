import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { isAllowedHost } from '@minitickets/contract/hosts';
import type { Dispatcher } from 'undici';
import { BodyTooLargeError, BrokenBodyError, hasBody, mostBodyBytes, readBody } from './body.ts';
import type { Connection } from './connections.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { answerProblem, type ProblemCode } from './problem.ts';
import { readRequestTarget } from './request-target.ts';
import { silence, type Task } from './tasks.ts';

/** A read that its task does not answer is repeated at one other task, no more: a request that kills tasks must not kill them all. */
const MAX_CALLS_OF_READ = 2;
/** What a read waits for a task that is known to be silent. Launchers and probes hear within a second or two that nobody answers. */
const SILENT_TASK_DEADLINE_MS = 500;

export interface Upstreams {
  /** Gives a task that is not among those tried, or undefined when all were. */
  nextTask: (tried: ReadonlySet<Task>) => Task | undefined;
  /** The same of the lab; undefined at once if there is none. */
  nextLab: (tried: ReadonlySet<Task>) => Task | undefined;
  /** The configured public address; its host is answered besides loopback names and IP addresses. */
  publicUrl: string | undefined;
}

/** The connection of the client, as far as forwarding is concerned. */
type ClientConnection = Pick<Connection, 'isGone' | 'beginAttempt'>;

/**
 * Hands a request to a task and its answer to the client, byte by byte as they come. Another task is asked if nothing was sent yet,
 * because no connection could be made. After that only a read (GET or HEAD without a body) is repeated, and only before a byte
 * of its answer has arrived: any other request that a task may have read is never sent twice, or a booking would be made twice.
 * What is below `/lab/` is the lab's, which is no task and has no turns.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  connection: ClientConnection,
  { nextTask, nextLab, publicUrl }: Upstreams,
): Promise<void> {
  const tried = new Set<Task>();
  try {
    const call = readCall(request, publicUrl);
    const withBody = hasBody(request);
    const isRead = !withBody && (call.method === 'GET' || call.method === 'HEAD');
    const isForLab = call.path.startsWith('/lab/');
    const next = isForLab ? nextLab : nextTask;
    let calls = 0;
    for (let task = next(tried); task && !connection.isGone; task = next(tried)) {
      tried.add(task);
      const attempt = connection.beginAttempt();
      calls += 1;
      if (isRead && calls < MAX_CALLS_OF_READ) task.repeatable.add(attempt);
      const deadline = isRead && task.state === 'silent' ? { headersTimeout: SILENT_TASK_DEADLINE_MS } : {};
      try {
        const body = withBody ? readBody(request) : null;
        const options = { ...call, ...deadline, body, signal: attempt.signal } as Dispatcher.RequestOptions;
        const answer = await task.pool.request(options);
        task.heardAt = performance.now();
        task.repeatable.delete(attempt);
        return await passOn(answer, response);
      } catch (error) {
        const code = codeOf(error);
        if (code === 'ECONNREFUSED') silence(task);
        const wasSent = !connectFailures.has(code);
        if (!wasSent) calls -= 1;
        else if (!isRead || calls >= MAX_CALLS_OF_READ) throw error;
      } finally {
        task.repeatable.delete(attempt);
      }
    }
    if (connection.isGone) return;
    if (isForLab) answerProblem(response, 'lab_not_running', 'Nothing answers below /lab/ at the moment.');
    else answerProblem(response, 'busy', 'No task answers at the moment.');
  } catch (error) {
    answerProblem(response, ...problemOf(error));
  } finally {
    // A body that nobody reads any more must not stand in the way of the client's next request.
    request.resume();
  }
}

/** How connecting fails: nothing of the request was sent. */
const connectFailures = new Set<unknown>(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function problemOf(error: unknown): [code: ProblemCode, detail: string] {
  if (error instanceof BodyTooLargeError) return ['too_large', `A body has at most ${mostBodyBytes} bytes.`];
  if (error instanceof BrokenBodyError) return ['malformed_request', 'The body broke off before its end.'];
  if (error instanceof MisdirectedRequestError) {
    return ['misdirected_request', 'Use the configured public address, an IP address, or localhost.'];
  }
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

class MisdirectedRequestError extends Error {
  override name = 'MisdirectedRequestError';
}

class UnclearRequestError extends Error {
  override name = 'UnclearRequestError';
}

/**
 * What to ask of a task.
 * @throws UnclearRequestError if the next server might read the request otherwise than we do
 * @throws MisdirectedRequestError if it names a host that is not ours (DNS rebinding)
 */
function readCall(
  { method = 'GET', url = '', rawHeaders, headers, httpVersion, socket }: IncomingMessage,
  publicUrl: string | undefined,
) {
  const target = readRequestTarget(url);
  const encoding = headers['transfer-encoding'];
  const hosts = countOf('host', rawHeaders);
  // Two hosts, or an encoding that hides where the body ends, are how requests are smuggled. None is for HTTP/1.0.
  const hasOneHost = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  const isClear = hasOneHost && (encoding === undefined || encoding.toLowerCase() === 'chunked');
  const isExpected = headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  if (!target || !isClear || !isExpected) throw new UnclearRequestError();
  const host = target.host ?? headers.host;
  if (host !== undefined && !isAllowedHost(host, publicUrl)) throw new MisdirectedRequestError();

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
