import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import { Agent, RetryAgent, request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';

/** HTTP clients that obey Retry-After out of the box, against a listening task in real time. */

const made = useApp();
let base: string;
/** The statuses that the task sent to each caller. */
const sent = new Map<unknown, number[]>();
beforeAll(async () => {
  made.app.server.on('request', ({ headers: { 'x-caller': caller } }, response) =>
    response.on('finish', () => sent.set(caller, [...(sent.get(caller) ?? []), response.statusCode])),
  );
  await made.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(made.app.server.address() as AddressInfo).port}`;
});

const CALLS = 40;
const { capacity, refillIntervalMs } = policies.playground.limits.free;

type Headers = Record<string, string>;
type Post = (url: string, headers: Headers) => Promise<number>;

/** On a busy machine Redis can miss its deadline: a 503, with a Retry-After that clients obey as well. */
const retries = { limit: 5, statusCodes: [429, 503] };

/** Each client posts without a body and returns the status; it is configured to retry a POST, which none does by default. */
const clients: Record<string, Post> = {
  got: async (url, headers) => {
    const retry = { ...retries, methods: ['POST' as const] };
    return (await got.post(url, { headers, retry, throwHttpErrors: false })).statusCode;
  },
  ky: async (url, headers) => {
    const retry = { ...retries, methods: ['post'] };
    return (await ky.post(url, { headers, retry, timeout: false }).catch(({ response }) => response)).status;
  },
  axios: async (url, headers) => {
    const client = axios.create({ headers });
    const retryCondition = ({ status }: { status?: number }) => retries.statusCodes.includes(status ?? 0);
    axiosRetry(client, { retries: retries.limit, retryCondition });
    return (await client.post(url).catch(({ response }) => response)).status;
  },
  "undici's RetryAgent": async (url, headers) => {
    const { limit: maxRetries, statusCodes } = retries;
    const dispatcher = new RetryAgent(new Agent(), { maxRetries, methods: ['POST'], statusCodes });
    const { statusCode, body } = await request(url, { method: 'POST', headers, dispatcher });
    await body.dump();
    return statusCode;
  },
};

/** Posts with a client, as a new user. Returns the client's status, and those that the task sent. */
async function post(name: string, path: string, more: Headers = {}) {
  const { sid } = await person(made);
  const caller = randomUUID();
  const status = await clients[name]?.(base + path, { cookie: `sid=${sid}`, 'x-caller': caller, ...more });
  return { status, sent: sent.get(caller) };
}

test.concurrent.each(Object.keys(clients))(
  `${CALLS} calls of one user in parallel by %s are all served within 1.15 times the ideal, without a ban`,
  { timeout: 120_000 },
  async (name) => {
    const { sid } = await person(made);
    const headers = { cookie: `sid=${sid}`, 'x-caller': sid };
    const begunAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, () => clients[name]?.(`${base}/v1/playground/requests`, headers)),
    );
    const tookMs = performance.now() - begunAt;
    expect(statuses).toEqual(Array.from({ length: CALLS }, () => 200));
    // A request whose answer from Redis came too late may have spent a token.
    const lost = sent.get(sid)?.filter((status) => status === 503).length ?? 0;
    expect(tookMs).toBeLessThanOrEqual((CALLS + lost - capacity) * refillIntervalMs * 1.15);
    const bucket = await made.app.inject({ url: '/v1/playground/bucket', cookies: { sid } });
    expect(bucket.json()).toMatchObject({ bans: 0 });
  },
);

test.each(Object.keys(clients))(
  'a cost above the capacity is refused once: %s does not retry in vain',
  async (name) => {
    expect(await post(name, `/v1/playground/requests?cost=${capacity + 1}`)).toEqual({ status: 422, sent: [422] });
  },
);

test.each(Object.keys(clients))('an empty body of %s is served, with a media type and without one', async (name) => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const more of [{}, form])
    expect(await post(name, '/v1/playground/requests', more)).toMatchObject({ status: 200 });
});

test('a 401 names the scheme to authenticate with, and no client retries it', async () => {
  for (const name of Object.keys(clients))
    expect(await post(name, '/v1/api-keys', { cookie: '' }), name).toEqual({ status: 401, sent: [401] });
  const { headers } = await axios.post(`${base}/v1/api-keys`, undefined, { validateStatus: null });
  expect(headers['www-authenticate']).toBe('Bearer realm="MiniTickets"');
});
