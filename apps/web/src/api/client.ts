import { headers, type Problem, type ProblemCode } from '@minitickets/contract';
import { type ServerClock, serverClock } from './server-clock.ts';

/** Codes for failures without a response of the API. They are local to the pages and not part of the contract. */
export type LocalCode = 'connection_lost' | 'deadline_passed' | 'unreadable_answer';

/** The only error that a call rejects with, besides the caller's own abort. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ProblemCode | LocalCode;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** When the problem occurred, by this computer's clock in ms. */
  readonly at: number;
  /** When the call can be retried, by this computer's clock in ms; undefined if waiting does not help. */
  readonly retryAt: number | undefined;
  /** Validation errors by field of the body. */
  readonly fields: readonly { path: string; message: string }[];

  constructor(problem: {
    code: ProblemCode | LocalCode;
    status: number;
    title: string;
    detail?: string | undefined;
    at: number;
    retryAt?: number | undefined;
    fields?: readonly { path: string; message: string }[] | undefined;
  }) {
    super(`${problem.code}: ${problem.title}`);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail ?? '';
    this.at = problem.at;
    this.retryAt = problem.retryAt;
    this.fields = problem.fields ?? [];
  }

  /** Whether the same call can succeed later without any change. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** With an idempotency key, a lost call is retried automatically with the same key and takes effect once. */
  idempotencyKey?: string;
  /** `omit` sends no session, for public data. */
  credentials?: 'same-origin' | 'omit';
  /** An API key. */
  bearer?: string | undefined;
  signal?: AbortSignal | undefined;
  deadlineMs?: number;
}

export type Request = <Answer>(call: ApiCall) => Promise<Answer>;

const defaultDeadlineMs = 15_000;
const maxRetries = 2;

/**
 * Creates the function that sends every call of the pages. Its dependencies are injected, so that tests control the network
 * and the clock.
 */
export function createRequest(deps: {
  fetch: typeof fetch;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  clock: ServerClock;
}): Request {
  return async function request<Answer>(call: ApiCall): Promise<Answer> {
    const deadline = AbortSignal.timeout(call.deadlineMs ?? defaultDeadlineMs);
    const signal = call.signal ? AbortSignal.any([call.signal, deadline]) : deadline;
    for (let retries = 0; ; retries += 1) {
      try {
        return (await sendOnce(call, signal)) as Answer;
      } catch (error) {
        if (call.signal?.aborted) throw error;
        const problem = deadline.aborted
          ? deadlinePassed(deps.now())
          : error instanceof ApiProblem
            ? error
            : connectionLost(error, deps.now());
        if (call.idempotencyKey === undefined || retries === maxRetries || !isUnanswered(problem)) throw problem;
        const pauseMs = problem.retryAt === undefined ? 400 * 3 ** retries : Math.max(0, problem.retryAt - deps.now());
        await deps.wait(pauseMs, signal).catch(() => {
          throw call.signal?.aborted ? call.signal.reason : problem;
        });
      }
    }
  };

  async function sendOnce(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    const sent: Record<string, string> = { accept: 'application/json, application/problem+json' };
    if (call.body !== undefined) sent['content-type'] = 'application/json';
    if (call.idempotencyKey !== undefined) sent[headers.idempotencyKey] = call.idempotencyKey;
    if (call.bearer !== undefined) sent.authorization = `Bearer ${call.bearer}`;
    const sentAt = deps.now();
    const response = await deps.fetch(call.path, {
      method: call.method ?? 'GET',
      headers: sent,
      credentials: call.credentials ?? 'same-origin',
      // A cached response would show sold tickets as available, and its Date header would set the server clock back.
      cache: 'no-store',
      redirect: 'error',
      signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const receivedAt = deps.now();
    deps.clock.observe(response.headers.get('date'), sentAt, receivedAt);
    if (response.status === 204) return undefined;
    const text = await response.text();
    const answer = isJson(response) ? parse(text) : undefined;
    if (answer === undefined) throw unreadable(response.status, receivedAt);
    if (!response.ok) throw asProblem(answer, response, receivedAt);
    return answer;
  }
}

/** Returns whether the outcome of the call is unknown or still pending: a retry with the same key finds out. */
function isUnanswered(problem: ApiProblem): boolean {
  return (
    problem.code === 'connection_lost' ||
    problem.code === 'outcome_unknown' ||
    problem.code === 'idempotency_in_progress' ||
    (problem.code === 'unreadable_answer' && (problem.status === 502 || problem.status === 504))
  );
}

/** Parses a problem response. A response that is not a problem document, such as a proxy's error page, is unreadable. */
export function asProblem(
  answer: unknown,
  response: Pick<Response, 'status' | 'headers'>,
  receivedAt: number,
): ApiProblem {
  const problem = answer as Partial<Problem> | null;
  if (typeof problem?.error !== 'string') return unreadable(response.status, receivedAt);
  const retryAfter = problem.retryAfter ?? Number(response.headers.get(headers.retryAfter) ?? Number.NaN);
  return new ApiProblem({
    // Keep the code of a newer API: the pages then show its title and detail.
    code: problem.error as ProblemCode,
    status: response.status,
    title: problem.title ?? 'Refused',
    detail: problem.detail,
    at: receivedAt,
    retryAt: Number.isFinite(retryAfter) ? receivedAt + retryAfter * 1000 : undefined,
    fields: problem.errors,
  });
}

/** Returns the problem of a call that got no response. */
export const noAnswer = (cause: unknown, at: number): ApiProblem =>
  cause instanceof DOMException && cause.name === 'TimeoutError' ? deadlinePassed(at) : connectionLost(cause, at);

const isJson = (response: Response) =>
  /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const connectionLost = (cause: unknown, at: number) =>
  new ApiProblem({ code: 'connection_lost', status: 0, title: 'No connection', detail: String(cause), at });
const deadlinePassed = (at: number) =>
  new ApiProblem({ code: 'deadline_passed', status: 0, title: 'No response in time', at });
const unreadable = (status: number, at: number) =>
  new ApiProblem({ code: 'unreadable_answer', status, title: 'Unreadable response', at });

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Sends a call of the pages. */
export const request = createRequest({
  fetch: (input, init) => fetch(input, init),
  now: () => Date.now(),
  wait,
  clock: serverClock,
});
