import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiCall, ApiProblem, createRequest } from './client.ts';
import { createServerClock } from './server-clock.ts';

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': status >= 400 ? 'application/problem+json; charset=utf-8' : 'application/json',
      ...headers,
    },
  });
const problem = (status: number, error: string, more: Record<string, unknown> = {}) =>
  json(status, { type: `/problems/${error}`, title: 'Title', status, detail: 'Detail', error, ...more });
const lost = () => {
  throw new TypeError('Failed to fetch');
};

type Answer = (init: RequestInit) => Response | Promise<Response>;

/** A fake network that returns these responses in order, with a clock that only waiting advances. */
function network(...answers: Answer[]) {
  const sent: { path: string; init: RequestInit; headers: Record<string, string> }[] = [];
  const waits: number[] = [];
  let now = 1_000_000;
  const request = createRequest({
    fetch: async (path, init = {}) => {
      sent.push({ path: String(path), init, headers: init.headers as Record<string, string> });
      const answer = answers[sent.length - 1];
      // An unexpected request gets a 500, which ends the call.
      return answer ? answer(init) : problem(500, 'internal_error');
    },
    now: () => now,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    clock: createServerClock(() => now),
  });
  return { request, sent, waits, now: () => now };
}

const caught = async (work: Promise<unknown>): Promise<ApiProblem> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiProblem)) throw new Error(`not an ApiProblem: ${String(error)}`);
  return error;
};

const hold: ApiCall = { method: 'POST', path: '/v1/bookings', body: { eventId: 'e' }, idempotencyKey: 'key-1' };

describe('a response', () => {
  test('a JSON response is returned; it is not cached, and the cookie stays same-origin', async () => {
    const { request, sent } = network(() => json(200, { id: 'e' }));
    expect(await request({ path: '/v1/events/e' })).toEqual({ id: 'e' });
    expect(sent[0]?.init).toMatchObject({
      method: 'GET',
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
  });

  test('a response without content is returned as undefined', async () => {
    const { request } = network(() => new Response(null, { status: 204 }));
    expect(await request({ method: 'DELETE', path: '/v1/sessions/current' })).toBeUndefined();
  });

  test('a problem response becomes a typed error with the exact instant to retry', async () => {
    const { request, now } = network(() =>
      problem(429, 'rate_limited', { retryAfter: 7, errors: [{ path: '/x', message: 'y' }] }),
    );
    expect(await caught(request({ path: '/v1/events' }))).toMatchObject({
      code: 'rate_limited',
      status: 429,
      title: 'Title',
      detail: 'Detail',
      retryAt: now() + 7000,
      at: now(),
      fields: [{ path: '/x', message: 'y' }],
      isTemporary: true,
    });
  });

  test('the Retry-After header is used when the body has no retryAfter', async () => {
    const { request, now } = network(() =>
      json(503, { error: 'busy', title: 'Busy', status: 503, detail: '' }, { 'retry-after': '3' }),
    );
    expect(await caught(request({ path: '/v1/events' }))).toMatchObject({ code: 'busy', retryAt: now() + 3000 });
  });

  test('a problem without a wait has no instant to retry', async () => {
    const { request } = network(() => problem(409, 'sold_out'));
    expect(await caught(request(hold))).toMatchObject({ code: 'sold_out', retryAt: undefined, isTemporary: false });
  });

  test.each([
    [
      'a proxy’s page',
      () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    ],
    ['a page instead of JSON', () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })],
    ['truncated JSON', () => new Response('{"id":', { headers: { 'content-type': 'application/json' } })],
    ['an error that is not a problem document', () => json(500, { message: 'x' })],
    ['an error whose body is null', () => json(500, null)],
  ])('a response that is %s is an unreadable answer', async (_, answer) => {
    const { request } = network(answer);
    expect((await caught(request({ path: '/v1/events' }))).code).toBe('unreadable_answer');
  });
});

describe('a lost connection', () => {
  test('a lost call with an idempotency key is retried with the same key', async () => {
    const { request, sent, waits } = network(lost, lost, () => json(201, { id: 'b' }));
    expect(await request(hold)).toEqual({ id: 'b' });
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1', 'key-1']);
    expect(sent.map(({ init }) => init.body)).toEqual(Array(3).fill('{"eventId":"e"}'));
    expect(waits).toEqual([400, 1200]);
  });

  test('a lost call fails after three requests', async () => {
    const { request, sent } = network(lost, lost, lost);
    expect(await caught(request(hold))).toMatchObject({ code: 'connection_lost', status: 0, isTemporary: true });
    expect(sent).toHaveLength(3);
  });

  test('a lost call without an idempotency key is never retried, because it could take effect twice', async () => {
    const { request, sent } = network(lost);
    expect((await caught(request({ method: 'POST', path: '/v1/users', body: {} }))).code).toBe('connection_lost');
    expect(sent).toHaveLength(1);
  });
});

test('a retry waits with the same key while the first request is still in progress', async () => {
  const { request, sent, waits } = network(
    () => problem(409, 'idempotency_in_progress', { retryAfter: 1 }),
    () => json(201, { id: 'b' }),
  );
  expect(await request(hold)).toEqual({ id: 'b' });
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  expect(waits).toEqual([1000]);
});

test('a call whose outcome is unknown is retried with the same key, which finds out', async () => {
  const { request, sent, waits } = network(
    () => problem(503, 'outcome_unknown', { retryAfter: 1 }),
    () => json(201, { id: 'b' }),
  );
  expect(await request(hold)).toEqual({ id: 'b' });
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  expect(waits).toEqual([1000]);
});

test.each([
  [429, 'rate_limited'],
  [409, 'sold_out'],
  [503, 'store_unavailable'],
  [503, 'busy'],
  [401, 'unauthenticated'],
])('a response of %i %s is not retried', async (status, error) => {
  const { request, sent } = network(() => problem(status, error));
  await caught(request(hold));
  expect(sent).toHaveLength(1);
});

describe('the deadline', () => {
  const deadlines: AbortController[] = [];
  const never: Answer = (init) =>
    new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

  beforeEach(() => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const controller = new AbortController();
      deadlines.push(controller);
      return controller.signal;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    deadlines.length = 0;
  });

  test('an unanswered call ends at its deadline with deadline_passed', async () => {
    const { request, sent } = network(never);
    const problemMet = caught(request({ ...hold, deadlineMs: 45_000 }));
    deadlines[0]?.abort(new DOMException('too late', 'TimeoutError'));
    expect(await problemMet).toMatchObject({ code: 'deadline_passed', status: 0 });
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(45_000);
    expect(sent).toHaveLength(1);
  });

  test('the caller’s own abort is rethrown unchanged', async () => {
    const { request } = network(never);
    const caller = new AbortController();
    const work = request({ path: '/v1/events', signal: caller.signal });
    const reason = new DOMException('left the page', 'AbortError');
    caller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });
});
