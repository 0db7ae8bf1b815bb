import fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import type { Api, Viewer } from '../deps.ts';
import { policies } from '../rules/limits.ts';
import { type LimiterStore, onEachStore } from '../testing/limiter-stores.ts';
import { useApp } from '../testing/test-app.ts';
import { mapErrors } from './error-mapping.ts';
import { limit, limitRequests } from './rate-limits.ts';

/* Accounts are cheap, so a limit by user stands on a limit by address. Redis's clock moves by hand. */
const the = useApp();

const own = policies.booking.limits.free.capacity;
const shared = policies['new-account-bookings'].limits.all.capacity;
const registrations = policies.registration.limits.all;
const SECOND_US = 1_000_000;

type Caller = { from: string; account?: string; isNew?: boolean; tier?: 'free' | 'pro' };

/** The limiter of a task on this store, with a route that registers and one that books. */
async function door(store: LimiterStore) {
  const app = fastify() as unknown as Api;
  onTestFinished(() => app.close());
  let caller: Caller = { from: '' };
  app.decorateRequest('viewer', null);
  app.addHook('onRequest', async (request) => {
    const { from, account, isNew = true, tier = 'free' } = caller;
    Object.defineProperty(request, 'ip', { value: from });
    const user: Viewer['user'] = { id: account ?? '', role: 'customer', tier, isNew };
    request.viewer = account === undefined ? null : { user, via: 'session' };
  });
  limitRequests(app, { ...the, redis: store.clocked as typeof the.redis }, new Registry());
  mapErrors(app);
  app.post('/register', { onRequest: limit('registration') }, async () => 'served');
  app.post('/book', { onRequest: limit('booking') }, async () => 'served');
  await app.ready();

  async function send(url: string, by: Caller) {
    caller = by;
    const { statusCode, headers } = await app.inject({ method: 'POST', url });
    return { isServed: statusCode === 200, budgets: String(headers.ratelimit) };
  }
  /** Sends one call after the other. @returns how many were served */
  async function served(url: string, callers: readonly Caller[]) {
    let count = 0;
    for (const by of callers) if ((await send(url, by)).isServed) count += 1;
    return count;
  }
  return {
    book: (by: Caller) => send('/book', by),
    booked: (callers: readonly Caller[]) => served('/book', callers),
    registered: (callers: readonly Caller[]) => served('/register', callers),
  };
}

let networks = 0;
/** An address in a network of its own. */
const newAddress = () => {
  networks += 1;
  return `198.18.${networks}.7`;
};
const times = <Each>(count: number, each: (index: number) => Each) => Array.from({ length: count }, (_, n) => each(n));
/** Makes `callsEach` calls by each of `accounts` new accounts behind one address. */
const farm = (from: string, accounts: number, callsEach: number): Caller[] =>
  times(accounts * callsEach, (n) => ({ from, account: `${from} ${n % accounts}` }));

onEachStore((store) => {
  test('thirty new accounts of one address book no more than their shared budget: its burst, then its rate', async () => {
    const { booked } = await door(store);
    const from = newAddress();
    expect(await booked(farm(from, 30, 3))).toBe(shared);
    store.clock.nowUs += 10 * SECOND_US;
    expect(await booked(farm(from, 30, 1))).toBe(10);
  });

  test('a new account that the shared budget refuses spends none of its own tokens', async () => {
    const { book, booked } = await door(store);
    const from = newAddress();
    await booked(farm(from, 3, own));
    const late = await book({ from, account: `${from} late` });
    expect(late.isServed).toBe(false);
    expect(late.budgets).toContain(`"booking";r=${own};t=0`);
  });

  test('a new account without tokens of its own spends none of the shared budget', async () => {
    const { booked } = await door(store);
    const from = newAddress();
    expect(await booked(farm(from, 1, own + 15))).toBe(own);
    expect(await booked(times(shared, (n) => ({ from, account: `${from} other ${n}` })))).toBe(shared - own);
  });

  test.each<[string, Partial<Caller>]>([
    ['an account older than a day', { isNew: false }],
    ['an account with a tier that an operator chose', { tier: 'pro' }],
    ['a new account behind another address', { from: '198.18.255.7' }],
  ])('%s keeps its own limit when the new accounts of an address have used up theirs', async (_, other) => {
    const { booked } = await door(store);
    const from = newAddress();
    await booked(farm(from, 4, own));
    const caller = { from, account: `${from} another`, ...other };
    expect(await booked(times(own, () => caller))).toBe(own);
  });

  test('one address registers a burst of accounts, then one per refill interval', async () => {
    const { registered } = await door(store);
    const from = newAddress();
    expect(await registered(times(registrations.capacity + 5, () => ({ from })))).toBe(registrations.capacity);
    store.clock.nowUs += registrations.refillIntervalMs * 1000;
    expect(await registered(times(2, () => ({ from })))).toBe(1);
  });

  test('all addresses of one /48 together register no more than the budget of the network', async () => {
    const { registered } = await door(store);
    const most = policies['registration-network'].limits.all.capacity;
    networks += 1;
    const from = (n: number) => `2001:db8:${networks.toString(16)}:${n.toString(16)}::1`;
    expect(await registered(times(most + 30, (n) => ({ from: from(n) })))).toBe(most);
    // A refusal of the network spends nothing of the address.
    store.clock.nowUs += 60 * SECOND_US;
    expect(await registered(times(registrations.capacity, () => ({ from: from(most + 1) })))).toBe(10);
  });
});
