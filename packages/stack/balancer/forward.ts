import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAllowedHost } from '@minitickets/contract/hosts';
import type { Dispatcher } from 'undici';
import { BodyTooLargeError, BrokenBodyError, hasBody, mostBodyBytes, readBody } from './body.ts';
import type { Connection } from './connections.ts';
import { clientAddress, requestHeaders, valuesOf } from './headers.ts';
import { answerProblem, type ProblemCode } from './problem.ts';
import { readRequestTarget } from './request-target.ts';
import { silence, type Task } from './tasks.ts';

/** An unanswered read is retried at one other task only: a request that crashes tasks must not crash them all. */
const MAX_CALLS_OF_READ = 2;
/** Deadline of a read at a task that is known to be silent, so that launchers and probes learn within two seconds that no task responds. */
const SILENT_TASK_DEADLINE_MS = 500;

/** HAProxy's limit. Node's own is 2,000, beyond which it drops headers without a word. */
const MAX_HEADERS = 100;

export interface Upstreams {
  /** Returns a task that was not tried yet, or undefined. */
  nextTask: (tried: ReadonlySet<Task>) => Task | undefined;
  /** The same for the lab; undefined without one. */
  nextLab: (tried: ReadonlySet<Task>) => Task | undefined;
  /** The configured public URL; its host is accepted besides loopback names and IP addresses. */
  publicUrl: string | undefined;
  /** Whether an address is a proxy in front of this balancer, whose X-Forwarded-For is trusted. */
  isFront: (address: string) => boolean;
  /** Proves to the tasks that a request comes through this balancer. The lab does not get it. */
  proxySecret: string | undefined;
}

/** The part of a client's connection that forwarding needs. */
type ClientConnection = Pick<Connection, 'isGone' | 'beginAttempt'>;

/**
 * Streams a request to a task and its response to the client. If no connection could be made, nothing was sent and another task
 * is tried. After that, only a read (GET or HEAD without a body) is retried, and only before the first byte of its response: any
 * other request that a task may have read is never sent twice, or a booking could be made twice. Paths below `/lab/` go to the
 * lab, which is no task and takes no turns.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  connection: ClientConnection,
  upstreams: Upstreams,
): Promise<void> {
  const tried = new Set<Task>();
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  try {
    const call = readCall(request, upstreams);
    const withBody = hasBody(request);
    const isRead = !withBody && isSafe;
    const isForLab = call.path.startsWith('/lab/');
    const next = isForLab ? upstreams.nextLab : upstreams.nextTask;
    let calls = 0;
    for (let task = next(tried); task && !connection.isGone; task = next(tried)) {
      tried.add(task);
      const attempt = connection.beginAttempt();
      calls += 1;
      if (isRead && calls < MAX_CALLS_OF_READ) task.repeatable.add(attempt);
      const deadline = isRead && task.state === 'silent' ? { headersTimeout: SILENT_TASK_DEADLINE_MS } : {};
      try {
        const body = withBody ? readBody(request) : null;
        const options = { ...call, ...deadline, body } as Dispatcher.DispatchOptions;
        const current = task;
        return await attempt.send(task.pool, options, response, () => {
          current.heardAt = performance.now();
          current.repeatable.delete(attempt);
        });
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
    if (isForLab) answerProblem(response, 'lab_not_running', 'The lab is not responding.');
    else answerProblem(response, 'busy', 'No API task is responding.');
  } catch (error) {
    answerProblem(response, ...problemOf(error, isSafe));
  } finally {
    // An unread body must not block the client's next request.
    request.resume();
  }
}

/** Errors of connecting, after which nothing of the request was sent. */
const connectFailures = new Set<unknown>(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function problemOf(error: unknown, isSafe: boolean): [code: ProblemCode, detail: string] {
  if (error instanceof BodyTooLargeError)
    return ['too_large', `The request body may have at most ${mostBodyBytes} bytes.`];
  if (error instanceof BrokenBodyError) return ['malformed_request', 'The request body is incomplete.'];
  if (error instanceof MisdirectedRequestError) {
    return ['misdirected_request', 'Use the configured public address, an IP address, or localhost.'];
  }
  const code = codeOf(error);
  if (error instanceof UnclearRequestError || code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return ['malformed_request', 'The request line or a header is not acceptable.'];
  }
  if (isSafe) return ['busy', 'A task received the request but did not respond.'];
  return [
    'outcome_unknown',
    'A task received the request but did not respond. It is unknown whether the request was carried out.',
  ];
}

class MisdirectedRequestError extends Error {
  override name = 'MisdirectedRequestError';
}

class UnclearRequestError extends Error {
  override name = 'UnclearRequestError';
}

/**
 * Returns the request to send to a task.
 * @throws UnclearRequestError if the next server might parse the request differently (request smuggling)
 * @throws MisdirectedRequestError if it names a foreign host (DNS rebinding)
 */
function readCall(
  { method = 'GET', url = '', rawHeaders, headers, httpVersion, socket }: IncomingMessage,
  { publicUrl, isFront, proxySecret }: Upstreams,
) {
  const target = readRequestTarget(url);
  const encoding = headers['transfer-encoding'];
  const hosts = valuesOf('host', rawHeaders).length;
  // Two Host headers, or an encoding that hides the end of the body, allow request smuggling. HTTP/1.0 may lack a Host.
  const hasOneHost = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  const isClear = hasOneHost && (encoding === undefined || encoding.toLowerCase() === 'chunked');
  const isCountable = rawHeaders.length <= 2 * MAX_HEADERS;
  const isKnownVersion = httpVersion === '1.0' || httpVersion === '1.1';
  const isExpected = headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  if (!target || !isClear || !isCountable || !isKnownVersion || !isExpected) throw new UnclearRequestError();
  const host = target.host ?? headers.host;
  if (host !== undefined && !isAllowedHost(host, publicUrl)) throw new MisdirectedRequestError();

  const client = {
    address: clientAddress(socket.remoteAddress ?? '', [headers['x-forwarded-for']].flat().join(), isFront),
    protocol: 'encrypted' in socket ? 'https' : 'http',
  } as const;
  const named = target.host === undefined ? rawHeaders : withHost(rawHeaders, target.host);
  return {
    method,
    path: target.path,
    headers: requestHeaders(named, client, target.path.startsWith('/lab/') ? undefined : proxySecret),
  };
}

function withHost(raw: readonly string[], host: string): string[] {
  const others = raw.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'host' ? [name, raw[index + 1] ?? ''] : [],
  );
  return ['Host', host, ...others];
}

function codeOf(error: unknown) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
