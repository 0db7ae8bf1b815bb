import http, { type RefinedParams, type RefinedResponse } from 'k6/http';
import { headers } from '../../packages/contract/src/headers.ts';
import type { Method } from '../../packages/contract/src/paths.ts';
import { always } from './claims.ts';
import { baseUrl, short } from './options.ts';

/** The session that sends a request, or undefined for an anonymous client. */
export type Caller = { sid: string } | undefined;

export type Request = {
  method: Method;
  path: string;
  /** The path's pattern. It names the metrics, because a metric per id would be thousands. */
  route?: string;
  as?: Caller;
  body?: object;
  /** In addition to the session's. */
  cookies?: Record<string, string>;
  headers?: Record<string, string>;
};

/** A response with its timing. */
export type Reply = {
  status: number;
  /** `ok` or the problem code. `no_response`, `unreadable` and `bad_gateway` are made up here for broken responses. */
  outcome: string;
  /** Milliseconds on the clock of the machine that runs k6. */
  sentAt: number;
  receivedAt: number;
  ms: number;
  /** In seconds; undefined without the header. */
  retryAfter: number | undefined;
  task: string | undefined;
  header: (name: keyof typeof headers) => string | undefined;
  /** Returns the value of a cookie that the response sets. */
  cookie: (name: string) => string | undefined;
  /** Returns the parsed body. */
  json: <Body>() => Body;
};

export const noResponseIsBroken = always('no_response_is_broken', {
  description:
    'Every response is a success or a problem document with a known code; none is a 500, a lost connection or a timeout.',
});

export const storesRespond = always('stores_respond_in_time', {
  description: `At most ${short ? 10 : 1} % of the responses report an unavailable store, which is how overload looks from outside.`,
  share: short ? 0.9 : 0.99,
});

const broken = new Set(['no_response', 'unreadable', 'internal_error', 'bad_gateway']);

/** Claims decide what counts as a failed request, not k6's default of 4xx and 5xx. */
const everyStatus = http.expectedStatuses({ min: 100, max: 599 });

/** Sends a request, waits for its response, and tests it against the claims that every script makes. */
export function send(request: Request): Reply {
  const sentAt = Date.now();
  return read(sentAt, http.request(...argumentsFor(request)));
}

/** The same without blocking, so that one virtual user (one client address) can have many requests in flight. */
export async function sendAsync(request: Request): Promise<Reply> {
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
    // A new cookie jar, so that a previous log-in of this virtual user does not authenticate the request.
    jar: new http.CookieJar(),
    cookies: { ...(as && { sid: as.sid }), ...cookies },
  };
  return [method, `${baseUrl}${path}`, body ? JSON.stringify(body) : null, params];
}

function read(sentAt: number, response: RefinedResponse<'text'>): Reply {
  const header = (name: keyof typeof headers) => headerOf(response, headers[name]);
  const outcome = outcomeOf(response);
  const task = header('servedBy');
  noResponseIsBroken.test(!broken.has(outcome));
  storesRespond.test(outcome !== 'store_unavailable');
  const retryAfter = header('retryAfter');
  return {
    status: response.status,
    outcome,
    sentAt,
    receivedAt: Date.now(),
    ms: response.timings.duration,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    task,
    header,
    cookie: (name) => response.cookies[name]?.[0]?.value,
    json: <Body>() => response.json() as Body,
  };
}

function outcomeOf({ status, body }: RefinedResponse<'text'>): string {
  if (status === 0) return 'no_response';
  if (status < 400) return 'ok';
  if (status === 502 || status === 504) return 'bad_gateway';
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]+$/.test(error) ? error : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** k6 capitalises each word of a header name, as Go does. */
function headerOf(response: RefinedResponse<'text'>, name: string): string | undefined {
  return response.headers[name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())];
}

/** Refused by the limiter. */
export const isRefusal = ({ status }: Reply) => status === 429;

/** Allowed by the limiter, whatever the response. With 503 nothing was done, and a token may be spent or not. */
export const isServed = ({ status }: Reply) => status !== 429 && status !== 503 && status !== 0;
