import { randomUUID } from 'node:crypto';
import type { LimitView } from '@minitickets/contract';
import { Agent, request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../processes/processes.mjs';
import {
  book,
  demoPerson,
  expectCrowd,
  newCustomer,
  newCustomers,
  newEvent,
  type Person,
  post,
  tally,
} from '../testing/people.ts';
import { useStack } from './use-stack.ts';

const stack = useStack();
let operator: Person;
beforeAll(async () => {
  // Before the tests empty the bucket of this address.
  operator = await demoPerson(stack.current.url, 'admin');
});

/** Returns the most that a bucket may have served since `sinceMs`: capacity + refill. */
const maxServed = (capacity: number, perSecond: number, sinceMs: number) =>
  capacity + Math.floor(((performance.now() - sinceMs) / 1000) * perSecond);

const guess = async (url: string, headers: Record<string, string> = {}) =>
  await post(`${url}/v1/sessions`, { email: `${randomUUID()}@example.test`, password: 'a guess' }, headers);

test('one user gets a burst of ten bookings, whatever the number of tasks', async () => {
  const { url } = stack.current;
  const event = await newEvent(await demoPerson(url, 'organiser'), [1000]);
  const customer = await newCustomer(url);
  const begun = performance.now();
  const responses = await Promise.all(Array.from({ length: 40 }, () => book(customer, event)));
  const max = maxServed(10, 1, begun);

  expect(new Set(responses.map(({ headers }) => headers.get('x-served-by'))).size).toBe(3);
  const { rate_limited = 0, suppressed = 0 } = await tally(responses);
  const served = 40 - rate_limited - suppressed;
  expect(served).toBeGreaterThanOrEqual(10);
  expect(served).toBeLessThanOrEqual(max);
});

test('thirty new accounts of one address book no more than their shared budget, and an older account there books beside them', async () => {
  const { url } = stack.current;
  const event = await newEvent(await demoPerson(url, 'organiser'), [1000]);
  const known = await demoPerson(url, 'customer');
  const registering = performance.now();
  const register = () =>
    post(`${url}/v1/users`, { email: `${randomUUID()}@example.test`, password: 'a password for a test', name: 'New' });
  const statuses = (await Promise.all(Array.from({ length: 30 }, register))).map(({ status }) => status);
  const registered = statuses.filter((status) => status === 201).length;
  // The customer of the test before registered from here too.
  expect(registered).toBeGreaterThanOrEqual(19);
  expect(registered).toBeLessThanOrEqual(maxServed(20, 1 / 60, registering));
  expect(statuses.filter((status) => status === 429)).toHaveLength(30 - registered);

  await expectCrowd(stack.current);
  const farm = await newCustomers(url, 30);
  const begun = performance.now();
  const responses = await Promise.all(farm.flatMap((account) => [1, 2, 3].map(() => book(account, event))));
  const max = maxServed(30, 1, begun);
  const { 201: booked = 0, rate_limited: refused = 0 } = await tally(responses);
  // The customer of the test before spent ten of the thirty tokens, one of which flows back every second.
  expect(booked).toBeGreaterThanOrEqual(20);
  expect(booked).toBeLessThanOrEqual(max);
  expect(booked + refused).toBe(90);
  expect((await book(known, event)).status).toBe(201);
});

test('of sixty concurrent log-ins from one address, twenty reach the password check and the others are promised distinct slots', async () => {
  const { url } = stack.current;
  const begun = performance.now();
  const responses = await Promise.all(Array.from({ length: 60 }, () => guess(url)));
  const max = maxServed(20, 1 / 3, begun);

  // The operator, and four people of the tests before, logged in from here too.
  const checked = responses.filter(({ status }) => status === 401);
  expect(checked.length).toBeGreaterThanOrEqual(15);
  expect(checked.length).toBeLessThanOrEqual(max);

  const refused = responses.filter(({ status }) => status !== 401);
  const waits: number[] = [];
  for (const response of refused) {
    const { error, retryAfter } = (await response.json()) as { error: string; retryAfter: number };
    expect([response.status, error]).toEqual([429, 'rate_limited']);
    expect(response.headers.get('retry-after')).toBe(String(retryAfter));
    waits.push(retryAfter);
  }
  // One token refills every 3 s, and each refusal promises the next free slot.
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(3 * (refused.length + 1));
  expect(new Set(waits).size).toBeGreaterThan(refused.length / 2);
});

/**
 * Empties the login bucket of this machine's address, then logs in five times with spoofed headers.
 * @returns how many of the five reached the password check, and the maximum that refilled tokens allow
 */
async function guessSpoofed(target: string, spoofed: Record<string, string>) {
  const begun = performance.now();
  await Promise.all(Array.from({ length: 25 }, () => guess(stack.current.url)));
  const responses = await Promise.all(Array.from({ length: 5 }, () => guess(target, spoofed)));
  const { invalid_credentials: checked = 0 } = await tally(responses);
  return { checked, max: maxServed(1, 1 / 3, begun) };
}

test.each(['198.51.100.1', '2001:db8::1', '127.0.0.1, 198.51.100.2', 'unknown'])(
  'an emptied bucket stays empty for a client that claims to be %s, through the balancer',
  async (claim) => {
    const spoofed = { 'x-forwarded-for': claim, 'x-real-ip': claim, forwarded: `for="${claim}"` };
    const { checked, max } = await guessSpoofed(stack.current.url, spoofed);
    expect(checked).toBeLessThanOrEqual(max);
  },
);

test.each<Record<string, string>>([{}, { 'x-forwarded-secret': 'a guess of thirty-two characters' }])(
  'a local process that calls a task directly cannot get another bucket by spoofing its address, with %o',
  async (secret) => {
    for (const { url } of stack.current.tasks) {
      const { checked, max } = await guessSpoofed(url, { 'x-forwarded-for': '198.51.100.3', ...secret });
      expect(checked).toBeLessThanOrEqual(max);
    }
  },
);

test.runIf(process.platform === 'linux')(
  'a crowd of 38 behind one address that obeys Retry-After is served in order through the balancer: no ban, at most two refusals each',
  { timeout: 120_000 },
  async () => {
    // The balancer treats another loopback address as another client.
    const dispatcher = new Agent({ localAddress: '127.0.0.38' });
    const url = new URL('/v1/sessions', stack.current.url);
    url.hostname = '127.0.0.1';
    const logIn = () =>
      request(url, {
        method: 'POST',
        signal: AbortSignal.timeout(20_000),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${randomUUID()}@example.test`, password: 'a guess' }),
        dispatcher,
      });
    await refillEverySecond();
    const begun = performance.now();
    const crowd = await Promise.all(
      Array.from({ length: 38 }, async () => {
        for (let refusals = 0; ; refusals += 1) {
          const { statusCode, headers, body } = await logIn();
          const answer = (await body.json()) as { error: string };
          // A checked password means that the limiter allowed the call.
          if (statusCode === 401) return { refusals, servedMs: performance.now() - begun };
          expect(answer.error).toBe('rate_limited');
          await new Promise((resolve) => setTimeout(resolve, Number(headers['retry-after']) * 1000));
        }
      }),
    );
    await dispatcher.destroy();
    expect(Math.max(...crowd.map(({ refusals }) => refusals))).toBeLessThanOrEqual(2);
    expect(Math.max(...crowd.map(({ servedMs }) => servedMs))).toBeLessThanOrEqual((38 - 20) * 1000 + 6000);
  },
);

/** Refills the log-in limit three times as fast as shipped, because the crowd waits for every token. Resolves when each task enforces it. */
async function refillEverySecond() {
  const { items } = (await (await operator.call('GET', '/v1/admin/limits')).json()) as { items: LimitView[] };
  const { capacity, refillTokens, onStoreFailure, suppression, shadow } =
    items.find(({ policy }) => policy === 'login') ?? expect.unreachable('there is no log-in limit');
  const changed = { capacity, refillTokens, refillIntervalMs: 1000, onStoreFailure, suppression, shadow };
  expect((await operator.call('PUT', '/v1/admin/limits/login/all', changed)).status).toBe(200);
  const isEnforced = async ({ url }: { url: string }) =>
    (await guess(url)).headers.get('ratelimit-policy') === '"login";q=20;w=20';
  const isEnforcedEverywhere = async () => (await Promise.all(stack.current.tasks.map(isEnforced))).every(Boolean);
  expect(await waitUntil(isEnforcedEverywhere, 20_000, 100)).toBe(true);
}
