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

/** A network that gives these answers one after the other, on a clock that only waiting moves. */
function network(...answers: Answer[]) {
  const sent: { path: string; init: RequestInit; headers: Record<string, string> }[] = [];
  const waits: number[] = [];
  let now = 1_000_000;
  const request = createRequest({
    fetch: async (path, init = {}) => {
      sent.push({ path: String(path), init, headers: init.headers as Record<string, string> });
      const answer = answers[sent.length - 1];
      // One request too many is answered by a fault, so that it ends the call.
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

describe('an answer', () => {
  test('that is JSON is handed over; nothing is kept, and no other site gets the cookie', async () => {
    const { request, sent } = network(() => json(200, { id: 'e' }));
    expect(await request({ path: '/v1/events/e' })).toEqual({ id: 'e' });
    expect(sent[0]?.init).toMatchObject({
      method: 'GET',
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
  });

  test('without content is undefined', async () => {
    const { request } = network(() => new Response(null, { status: 204 }));
    expect(await request({ method: 'DELETE', path: '/v1/sessions/current' })).toBeUndefined();
  });

  test('that refuses becomes one typed error with the exact instant to wait for', async () => {
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
      passes: true,
    });
  });

  test('whose body names no wait is read by its header', async () => {
    const { request, now } = network(() =>
      json(503, { error: 'busy', title: 'Busy', status: 503, detail: '' }, { 'retry-after': '3' }),
    );
    expect(await caught(request({ path: '/v1/events' }))).toMatchObject({ code: 'busy', retryAt: now() + 3000 });
  });

  test('that names no wait promises none', async () => {
    const { request } = network(() => problem(409, 'sold_out'));
    expect(await caught(request(hold))).toMatchObject({ code: 'sold_out', retryAt: undefined, passes: false });
  });

  test.each([
    [
      'a proxy’s page',
      () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    ],
    [
      'a page where JSON was meant',
      () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['JSON that breaks off', () => new Response('{"id":', { headers: { 'content-type': 'application/json' } })],
    ['an error that is no problem', () => json(500, { message: 'x' })],
    ['an error of null', () => json(500, null)],
  ])('that is %s is called unreadable', async (_, answer) => {
    const { request } = network(answer);
    expect((await caught(request({ path: '/v1/events' }))).code).toBe('unreadable_answer');
  });
});

describe('a lost connection', () => {
  test('of a call with a key is tried again under the same key, and answered once', async () => {
    const { request, sent, waits } = network(lost, lost, () => json(201, { id: 'b' }));
    expect(await request(hold)).toEqual({ id: 'b' });
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1', 'key-1']);
    expect(sent.map(({ init }) => init.body)).toEqual(Array(3).fill('{"eventId":"e"}'));
    expect(waits).toEqual([400, 1200]);
  });

  test('is given up after three sendings', async () => {
    const { request, sent } = network(lost, lost, lost);
    expect(await caught(request(hold))).toMatchObject({ code: 'connection_lost', status: 0, passes: true });
    expect(sent).toHaveLength(3);
  });

  test('of a call without a key is never sent twice: nobody could tell the two apart', async () => {
    const { request, sent } = network(lost);
    expect((await caught(request({ method: 'POST', path: '/v1/users', body: {} }))).code).toBe('connection_lost');
    expect(sent).toHaveLength(1);
  });
});

test('while the first sending is still worked on, its answer is waited for under the same key', async () => {
  const { request, sent, waits } = network(
    () => problem(409, 'idempotency_in_progress', { retryAfter: 1 }),
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
  [401, 'unauthenticated'],
])('an answer of %i %s is not argued with', async (status, error) => {
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

  test('ends a call that nobody answers, and the problem says so', async () => {
    const { request, sent } = network(never);
    const problemMet = caught(request({ ...hold, deadlineMs: 45_000 }));
    deadlines[0]?.abort(new DOMException('too late', 'TimeoutError'));
    expect(await problemMet).toMatchObject({ code: 'deadline_passed', status: 0 });
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(45_000);
    expect(sent).toHaveLength(1);
  });

  test('leaves the caller’s own abort what it is', async () => {
    const { request } = network(never);
    const caller = new AbortController();
    const work = request({ path: '/v1/events', signal: caller.signal });
    const reason = new DOMException('left the page', 'AbortError');
    caller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });
});
