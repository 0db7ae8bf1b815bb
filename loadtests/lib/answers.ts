import http, { type RefinedParams, type RefinedResponse } from 'k6/http';
import { headers } from '../../packages/contract/src/headers.ts';
import type { Method } from '../../packages/contract/src/paths.ts';
import { always } from './claims.ts';
import { baseUrl, short } from './options.ts';

/** Who a request comes from: a session minted for a customer, or nobody. */
export type Caller = { sid: string } | undefined;

export type Request = {
  method: Method;
  path: string;
  /** The path's pattern, where the path holds an id: metrics have few names. */
  route?: string;
  as?: Caller;
  body?: object;
  /** Besides the session's. */
  cookies?: Record<string, string>;
  headers?: Record<string, string>;
};

/** An answer, and when it was asked for and had. */
export type Answer = {
  status: number;
  /** `ok`, or the code of the problem. `no_answer` and `unreadable` are what no API should ever give. */
  outcome: string;
  /** In ms, by the clock of the machine that k6 runs on. */
  sentAt: number;
  answeredAt: number;
  ms: number;
  /** Whole seconds, or undefined if the answer does not say. */
  retryAfter: number | undefined;
  task: string | undefined;
  header: (name: keyof typeof headers) => string | undefined;
  /** The value of a cookie that the answer sets. */
  cookie: (name: string) => string | undefined;
  /** The body of an `ok`. */
  json: <Body>() => Body;
};

export const noAnswerIsBroken = always('no_answer_is_broken', {
  says: 'Every response is a success or a problem document with a known code; none is a 500, a lost connection or a timeout.',
});

export const storesAnswer = always('stores_answer_in_time', {
  says: `At most ${short ? 10 : 1} % of the responses report a store that is not responding, which is how overload looks from outside.`,
  share: short ? 0.9 : 0.99,
});

const broken = new Set(['no_answer', 'unreadable', 'internal_error', 'bad_gateway']);

/** What the scripts take for a failed request is decided by claims, not by k6's idea of a good status. */
const everyStatus = http.expectedStatuses({ min: 100, max: 599 });

/** Sends a request and waits for its answer, which counts towards the claims that every script makes. */
export function ask(request: Request): Answer {
  const sentAt = Date.now();
  return read(sentAt, http.request(...argumentsFor(request)));
}

/** The same without waiting: many can be on their way from one virtual user, which is one client address. */
export async function askMeanwhile(request: Request): Promise<Answer> {
  const sentAt = Date.now();
  return read(sentAt, await http.asyncRequest(...argumentsFor(request)));
}

const nameOf = ({ method, route, path }: Request) => `${method} ${route ?? path.replace(/\?.*/, '')}`;

function argumentsFor(request: Request): [string, string, string | null, RefinedParams<'text'>] {
  const { method, path, as, body, cookies, headers: more } = request;
  const params: RefinedParams<'text'> = {
    responseType: 'text',
    timeout: '20s',
    responseCallback: everyStatus,
    tags: { name: nameOf(request) },
    headers: { ...(body && { 'content-type': 'application/json' }), ...more },
    // A jar of its own: what a log-in of this virtual user left behind must not decide who the next request is from.
    jar: new http.CookieJar(),
    cookies: { ...(as && { sid: as.sid }), ...cookies },
  };
  return [method, `${baseUrl}${path}`, body ? JSON.stringify(body) : null, params];
}

function read(sentAt: number, response: RefinedResponse<'text'>): Answer {
  const header = (name: keyof typeof headers) => headerOf(response, headers[name]);
  const outcome = outcomeOf(response);
  const task = header('servedBy');
  noAnswerIsBroken.test(!broken.has(outcome));
  storesAnswer.test(outcome !== 'store_unavailable');
  const retryAfter = header('retryAfter');
  return {
    status: response.status,
    outcome,
    sentAt,
    answeredAt: Date.now(),
    ms: response.timings.duration,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    task,
    header,
    cookie: (name) => response.cookies[name]?.[0]?.value,
    json: <Body>() => response.json() as Body,
  };
}

function outcomeOf({ status, body }: RefinedResponse<'text'>): string {
  if (status === 0) return 'no_answer';
  if (status < 400) return 'ok';
  if (status === 502 || status === 504) return 'bad_gateway';
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]+$/.test(error) ? error : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** k6 writes header names as Go does: each word with a capital. */
function headerOf(response: RefinedResponse<'text'>, name: string): string | undefined {
  return response.headers[name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())];
}

/** A refusal by the limiter. */
export const isRefusal = ({ status }: Answer) => status === 429;

/** Let through by the limiter, whatever was answered then. With 503 nothing was done, and a token may be spent or not. */
export const isServed = ({ status }: Answer) => status !== 429 && status !== 503 && status !== 0;
