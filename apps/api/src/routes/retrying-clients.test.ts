import type { AddressInfo } from 'node:net';
import { useStores } from '@minitickets/stack/test-stores';
import got from 'got';
import { Agent, RetryAgent, request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { person } from '../testing/people.ts';
import { testApp } from '../testing/test-app.ts';

/** HTTP clients that obey Retry-After out of the box, against a listening task in real time. */

const stores = useStores();
let the: Awaited<ReturnType<typeof testApp>>;
let url: string;
beforeAll(async () => {
  the = await testApp(stores);
  await the.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(the.app.server.address() as AddressInfo).port}/v1/playground/requests`;
});

const CALLS = 40;
const { capacity, refillIntervalMs } = policies.playground.limits.free;
const IDEAL_MS = (CALLS - capacity) * refillIntervalMs;

/** How each client is configured to retry a POST, which neither does by default. */
const clients: Record<string, (headers: { cookie: string }) => Promise<number>> = {
  got: async (headers) => {
    const retry = { limit: 2, methods: ['POST' as const], statusCodes: [429] };
    return (await got.post(url, { headers, retry, throwHttpErrors: false })).statusCode;
  },
  "undici's RetryAgent": async (headers) => {
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: 2, methods: ['POST'], statusCodes: [429] });
    const { statusCode, body } = await request(url, { method: 'POST', headers, dispatcher });
    await body.dump();
    return statusCode;
  },
};

test.concurrent.each(Object.keys(clients))(
  `${CALLS} calls of one user in parallel by %s are all served within 1.15 times the ideal, without a ban`,
  { timeout: 120_000 },
  async (name) => {
    const { sid } = await person(the);
    const headers = { cookie: `sid=${sid}` };
    const begunAt = performance.now();
    const statuses = await Promise.all(Array.from({ length: CALLS }, () => clients[name]?.(headers)));
    const tookMs = performance.now() - begunAt;
    expect(statuses).toEqual(Array.from({ length: CALLS }, () => 200));
    expect(tookMs).toBeLessThanOrEqual(IDEAL_MS * 1.15);
    const bucket = await the.app.inject({ url: '/v1/playground/bucket', cookies: { sid } });
    expect(bucket.json()).toMatchObject({ bans: 0 });
  },
);
