import type { PolicyName } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { bucketWith, type LimiterStore, onEachStore } from '../testing/limiter-stores.ts';

/* Crowds and retry loops on the shipped limits, in simulated time: calls are made in order, and each sets Redis's clock. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;

type Visit = { who: string; atMs: number };
/** The decision that a visitor received. */
type Outcome = { allowed: boolean; banned: boolean; retryAfterMs: number };
type Visitor = { servedAtMs: number[]; refusals: number; bans: number };

/** Returns a bucket with a policy's shipped limit, in the free tier if it has tiers. */
function shipped(store: LimiterStore, policy: PolicyName) {
  const limits = policies[policy].limits;
  return bucketWith(store, 'all' in limits ? limits.all : limits.free, policy);
}

/**
 * Plays the visits in order of their instants. `next` returns the visitor's next call, or undefined if there is none.
 * @returns the outcomes of each visitor
 */
async function simulate(
  store: LimiterStore,
  { take }: ReturnType<typeof bucketWith>,
  visits: Visit[],
  next: (visit: Visit, outcome: Outcome) => number | undefined,
) {
  const beginUs = store.clock.nowUs;
  const visitors = new Map<string, Visitor>();
  const queue = visits.toSorted((one, other) => one.atMs - other.atMs);
  for (let visit = queue.shift(); visit; visit = queue.shift()) {
    store.clock.nowUs = beginUs + Math.round(visit.atMs * 1000);
    const decision = await take();
    const visitor = visitors.get(visit.who) ?? { servedAtMs: [], refusals: 0, bans: 0 };
    visitors.set(visit.who, visitor);
    if (decision.allowed) visitor.servedAtMs.push(visit.atMs);
    else visitor.refusals += 1;
    const banned = !decision.allowed && decision.reason === 'suppressed';
    if (banned) visitor.bans += 1;
    const retryAfterMs = decision.allowed ? 0 : (decision.retryAfterMs ?? 0);
    const atMs = next(visit, { allowed: decision.allowed, banned, retryAfterMs });
    if (atMs === undefined) continue;
    const place = queue.findIndex((other) => other.atMs > atMs);
    queue.splice(place === -1 ? queue.length : place, 0, { who: visit.who, atMs });
  }
  return visitors;
}

/** The next call of a client that obeys `Retry-After`, which counts whole seconds, up to a second late. */
const afterRetryAfter = ({ who, atMs }: Visit, { retryAfterMs }: Outcome) =>
  atMs + Math.ceil(retryAfterMs / SECOND) * SECOND + latenessMs(who, atMs);

/** From 0 to 1 s, deterministic. */
function latenessMs(who: string, atMs: number) {
  let hash = Math.floor(atMs);
  for (const letter of who) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return hash % 1001;
}

const onceServed = (visit: Visit, outcome: Outcome) => (outcome.allowed ? undefined : afterRetryAfter(visit, outcome));

const people = (count: number, arrivalMs: (index: number) => number = () => 0): Visit[] =>
  Array.from({ length: count }, (_, index) => ({ who: `person ${index}`, atMs: arrivalMs(index) }));

const totalOf = (visitors: Map<string, Visitor>, field: 'refusals' | 'bans') =>
  [...visitors.values()].reduce((sum, visitor) => sum + visitor[field], 0);

onEachStore((store) => {
  const { capacity, refillIntervalMs } = policies.login.limits.all;

  test.each([
    ['login', 38],
    ['login', 150],
    ['registration', 60],
    ['new-account-bookings', 100],
  ] as const)(
    '%s: %d people who arrive at the same instant and obey Retry-After are all served in order, without a ban',
    async (policy, count) => {
      const { capacity, refillTokens, refillIntervalMs } = policies[policy].limits.all;
      const visitors = await simulate(store, shipped(store, policy), people(count), onceServed);
      expect(totalOf(visitors, 'bans')).toBe(0);
      const served = [...visitors.values()].map(({ servedAtMs }) => servedAtMs[0] as number);
      expect(served).toHaveLength(count);
      expect(Math.max(...served)).toBeLessThanOrEqual(((count - capacity) * refillIntervalMs * 1.1) / refillTokens);
      expect(Math.max(...[...visitors.values()].map(({ refusals }) => refusals))).toBeLessThanOrEqual(2);
    },
  );

  test.each([40, 150])(
    '%d people who arrive within half a minute are all served as soon as the limit allows, without a ban, and nobody is refused more than four times',
    async (count) => {
      const arriving = people(count, (index) => (index * 7919) % (30 * SECOND));
      const visitors = await simulate(store, shipped(store, 'login'), arriving, onceServed);
      expect(totalOf(visitors, 'bans')).toBe(0);
      const waits = arriving.map(({ who, atMs }) => (visitors.get(who)?.servedAtMs[0] ?? Number.NaN) - atMs);
      expect(Math.max(...waits)).toBeLessThanOrEqual((count - capacity) * refillIntervalMs * 1.1);
      expect(Math.max(...[...visitors.values()].map(({ refusals }) => refusals))).toBeLessThanOrEqual(4);
    },
  );

  test('of a thousand concurrent clients none waits longer than 1.5 times its position in line', {
    timeout: 60_000,
  }, async () => {
    const visitors = await simulate(store, shipped(store, 'login'), people(1000), onceServed);
    expect(totalOf(visitors, 'bans')).toBe(0);
    for (const [index, { servedAtMs }] of [...visitors.values()].entries()) {
      const place = Math.max(0, index + 1 - capacity);
      expect(servedAtMs[0]).toBeLessThanOrEqual(place * refillIntervalMs * 1.5);
    }
  });

  test('as many clients as the policy has strikes are never banned, however their arrivals are spread', {
    timeout: 60_000,
  }, async () => {
    const { strikes } = policies.login.limits.all.suppression;
    for (const spreadMs of [5 * SECOND, 30 * SECOND, 2 * MINUTE]) {
      const arriving = people(strikes, (index) => (index / strikes) * spreadMs);
      const visitors = await simulate(store, shipped(store, 'login'), arriving, onceServed);
      expect(totalOf(visitors, 'bans')).toBe(0);
      expect([...visitors.values()].every(({ servedAtMs }) => servedAtMs.length === 1)).toBe(true);
    }
  });

  test('a thousand clients who arrive within five seconds are never banned', { timeout: 60_000 }, async () => {
    const arriving = people(1000, (index) => index * 4.99);
    const visitors = await simulate(store, shipped(store, 'login'), arriving, onceServed);
    expect(totalOf(visitors, 'bans')).toBe(0);
  });

  test('of twice as many obedient clients as the policy has strikes, arriving within a minute, some are banned, and all are served as soon as the limit allows', {
    timeout: 60_000,
  }, async () => {
    const { strikes } = policies.login.limits.all.suppression;
    const arriving = people(2 * strikes, (index) => (index / strikes / 2) * MINUTE);
    const visitors = await simulate(store, shipped(store, 'login'), arriving, onceServed);
    expect(totalOf(visitors, 'bans')).toBeGreaterThan(0);
    const served = [...visitors.values()].map(({ servedAtMs }) => servedAtMs[0] as number);
    expect(Math.max(...served)).toBeLessThanOrEqual((2 * strikes - capacity) * refillIntervalMs * 1.1);
    expect(Math.max(...[...visitors.values()].map(({ refusals }) => refusals))).toBeLessThanOrEqual(5);
  });

  test('concurrent refusals of one bucket promise distinct slots, one emission interval apart', async () => {
    const { take } = shipped(store, 'login');
    await take(capacity);
    const promised = [];
    for (let call = 0; call < 5; call++) promised.push((await take()) as { retryAfterMs: number });
    expect(promised.map(({ retryAfterMs }) => retryAfterMs)).toEqual([3000, 6000, 9000, 12_000, 15_000]);
  });

  test('a promise reserves no token: a client that returns alone takes whatever token is there', async () => {
    const { take } = shipped(store, 'login');
    await take(capacity);
    for (let call = 0; call < 5; call++) await take();
    store.clock.nowUs += 3_000_000;
    expect(await take()).toMatchObject({ allowed: true });
    expect(await take()).toMatchObject({ allowed: false });
  });

  test('promised slots are forgotten when they have passed unused', async () => {
    const { take } = shipped(store, 'login');
    await take(capacity);
    for (let call = 0; call < 5; call++) await take();
    store.clock.nowUs += 15_000_000;
    await take(5);
    expect(await take()).toMatchObject({ allowed: false, retryAfterMs: 3000 });
  });

  test('slots are promised no further ahead than the policy says', async () => {
    const { take } = bucketWith(store, { capacity: 1 }, 'reads');
    await take();
    const waits = [];
    for (let call = 0; call < 30; call++) waits.push(((await take()) as { retryAfterMs: number }).retryAfterMs);
    expect(Math.max(...waits)).toBe(policies.reads.promiseHorizonMs);
  });

  test('a changed rate discards the line, whose slots were promised at the old rate', async () => {
    const { take, changeTo } = shipped(store, 'login');
    await take(capacity);
    for (let call = 0; call < 5; call++) await take();
    changeTo({ refillIntervalMs: 1000 }, 1);
    expect(await take()).toMatchObject({ allowed: false, retryAfterMs: 1000 });
  });

  test('a revision that changes nothing of this limit keeps its line', async () => {
    const { take, changeTo } = shipped(store, 'login');
    await take(capacity);
    await take();
    changeTo({}, 1);
    expect(await take()).toMatchObject({ allowed: false, retryAfterMs: 6000 });
  });

  test('forty workers of one key that call endlessly and obey Retry-After are never banned', {
    timeout: 60_000,
  }, async () => {
    const endMs = 5 * MINUTE;
    const workers = Array.from({ length: 40 }, (_, index) => ({ who: `worker ${index}`, atMs: 0 }));
    const visitors = await simulate(store, shipped(store, 'playground'), workers, (visit, outcome) => {
      const atMs = outcome.allowed ? visit.atMs + 20 : afterRetryAfter(visit, outcome);
      return atMs < endMs ? atMs : undefined;
    });
    expect(totalOf(visitors, 'bans')).toBe(0);
    const served = [...visitors.values()].reduce((sum, { servedAtMs }) => sum + servedAtMs.length, 0);
    // What the limit grants in that time, minus refill lost while late workers leave the bucket full.
    expect(served).toBeGreaterThan((endMs / SECOND) * 0.95);
  });

  test('forty concurrent calls of one key that obey Retry-After finish within 1.15 times the ideal', async () => {
    const visitors = await simulate(store, shipped(store, 'playground'), people(40), onceServed);
    expect(totalOf(visitors, 'bans')).toBe(0);
    const last = Math.max(...[...visitors.values()].flatMap(({ servedAtMs }) => servedAtMs));
    expect(last).toBeLessThanOrEqual(30 * SECOND * 1.15);
  });

  test('a retry loop at 4/s is banned within two minutes, and gets less in a quarter of an hour than a client that obeys', {
    timeout: 120_000,
  }, async () => {
    const endMs = 15 * MINUTE;
    let firstBanMs: number | undefined;
    const loop = await simulate(store, shipped(store, 'login'), [{ who: 'loop', atMs: 0 }], ({ atMs }, { banned }) => {
      if (banned) firstBanMs ??= atMs;
      return atMs + 250 < endMs ? atMs + 250 : undefined;
    });
    const patient = await simulate(store, shipped(store, 'login'), [{ who: 'patient', atMs: 0 }], (visit, outcome) => {
      const atMs = outcome.allowed ? visit.atMs + 250 : afterRetryAfter(visit, outcome);
      return atMs < endMs ? atMs : undefined;
    });
    expect(loop.get('loop')?.bans).toBeGreaterThan(0);
    expect(firstBanMs).toBeLessThan(2 * MINUTE);
    expect(patient.get('patient')?.bans).toBe(0);
    const servedOf = (visitors: Map<string, Visitor>) => [...visitors.values()][0]?.servedAtMs.length ?? 0;
    expect(servedOf(loop)).toBeLessThan(0.85 * servedOf(patient));
  });

  test('people behind the same NAT as a retry loop are all served within eight minutes', {
    timeout: 120_000,
  }, async () => {
    const endMs = 15 * MINUTE;
    const colleagues = people(12, (index) => (2 + index) * MINUTE + 100);
    const visitors = await simulate(
      store,
      shipped(store, 'login'),
      [{ who: 'loop', atMs: 0 }, ...colleagues],
      (visit, outcome) => {
        if (visit.who !== 'loop') return onceServed(visit, outcome);
        return visit.atMs + 250 < endMs ? visit.atMs + 250 : undefined;
      },
    );
    const waits = colleagues.map(({ who, atMs }) => (visitors.get(who)?.servedAtMs[0] ?? Number.NaN) - atMs);
    expect(Math.max(...waits)).toBeLessThanOrEqual(8 * MINUTE);
  });

  test('five people who registered today are all served within four minutes beside a farm of thirty new accounts that ignore Retry-After', {
    timeout: 120_000,
  }, async () => {
    const endMs = 5 * MINUTE;
    const farm = Array.from({ length: 30 }, (_, n) => ({ who: `farm ${n}`, atMs: n * 100 }));
    const honest = people(5, (index) => MINUTE + index * 5 * SECOND);
    const visitors = await simulate(
      store,
      shipped(store, 'new-account-bookings'),
      [...farm, ...honest],
      (visit, outcome) => {
        if (!visit.who.startsWith('farm')) return onceServed(visit, outcome);
        return visit.atMs + 3 * SECOND < endMs ? visit.atMs + 3 * SECOND : undefined;
      },
    );
    const waits = honest.map(({ who, atMs }) => (visitors.get(who)?.servedAtMs[0] ?? Number.NaN) - atMs);
    expect(Math.max(...waits)).toBeLessThanOrEqual(4 * MINUTE);
  });
});
