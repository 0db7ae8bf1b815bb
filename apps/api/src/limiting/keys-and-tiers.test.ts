import { randomUUID } from 'node:crypto';
import type { LimitChange } from '@minitickets/contract';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import type { Transaction } from '../db/client.ts';
import { lockLimits, recordChange, saveIdentityLimit, saveOverride } from '../queries/stored-limits.ts';
import { saveTier } from '../queries/tiers.ts';
import { apiKeyOf, userOf } from '../rules/client-identity.ts';
import { policies } from '../rules/limits.ts';
import { onEachStore } from '../testing/limiter-stores.ts';
import { person } from '../testing/people.ts';
import { useApp } from '../testing/test-app.ts';
import { type Caller, createLimiter } from './limiter.ts';

const SECOND = 1_000_000;
/** Bans are another law. */
const withoutBans = { suppression: null };
const partner: LimitChange = { ...policies.booking.limits.free, ...withoutBans, capacity: 100, refillTokens: 20 };

const the = useApp();
let changedBy: string;
beforeAll(async () => {
  changedBy = (await person(the, { role: 'admin' })).user.id;
  await change(async (tx) => {
    await saveTier(tx, 'partner', 'pro');
    await saveOverride(tx, 'booking', 'partner', partner);
    for (const tier of ['free', 'pro'] as const) {
      await saveOverride(tx, 'booking', tier, { ...policies.booking.limits[tier], ...withoutBans });
    }
  });
});

async function change(write: (tx: Transaction) => Promise<void>) {
  await the.db.transaction(async (tx) => {
    await lockLimits(tx);
    await write(tx);
    await recordChange(tx, { tier: 'partner', changedBy });
  });
}

onEachStore((store) => {
  let limiter: ReturnType<typeof createLimiter>;
  beforeAll(async () => {
    limiter = createLimiter({ ...the, redis: store.clocked as Redis }, new Registry());
    await limiter.refreshLimits();
  });

  /** Calls concurrently, more often than any bucket here has tokens, and returns how many were served. */
  async function served(...callers: Caller[]) {
    const outcomes = await Promise.all(
      Array.from({ length: 130 }, (_, call) => {
        const caller = callers[call % callers.length] as Caller;
        return limiter.decide(limiter.takesOf('booking', caller));
      }),
    );
    return outcomes.filter(({ decisions }) => decisions.every(({ allowed }) => allowed)).length;
  }
  /** A user on the free tier, by session and by as many keys as asked for. */
  function newUser() {
    const identity = userOf(randomUUID());
    const session: Caller = { identity, tier: 'free' };
    return { session, newKey: (): Caller => ({ ...session, key: { id: randomUUID(), tier: null } }) };
  }
  const withTier = (caller: Caller, tier: string | null): Caller =>
    caller.key ? { ...caller, key: { ...caller.key, tier } } : { ...caller, tier: tier ?? 'free' };

  test('a key that is given a tier gains the added burst once, in the bucket that it has', async () => {
    const key = newUser().newKey();
    expect(await served(key)).toBe(10);
    expect(await served(withTier(key, 'partner'))).toBe(90);
    for (let round = 0; round < 3; round++) {
      expect(await served(key)).toBe(0);
      expect(await served(withTier(key, 'partner'))).toBe(0);
    }
    store.clock.nowUs += SECOND;
    expect(await served(withTier(key, 'partner'))).toBe(20);
  });

  test('a user who is given a tier gains the added burst once, in the bucket that they have', async () => {
    const { session } = newUser();
    expect(await served(session)).toBe(10);
    expect(await served(withTier(session, 'partner'))).toBe(90);
    expect(await served(session)).toBe(0);
    expect(await served(withTier(session, 'partner'))).toBe(0);
  });

  test('a key that is given a limit of its own gains the added burst once, and returns to its user’s budget', async () => {
    const key = newUser().newKey();
    expect(await served(key)).toBe(10);
    const identity = apiKeyOf(key.key?.id ?? '');
    await change((tx) => saveIdentityLimit(tx, 'booking', identity, { ...partner, capacity: 25 }));
    await limiter.refreshLimits();
    expect(await served(key)).toBe(15);
  });

  test('creating keys multiplies nothing: five keys and a session are served what one key is', async () => {
    const { session, newKey } = newUser();
    const keys = Array.from({ length: 5 }, newKey);
    expect(await served(session, ...keys)).toBe(10);
    for (let round = 0; round < 3; round++) expect(await served(newKey())).toBe(0);
    store.clock.nowUs += 2 * SECOND;
    expect(await served(...keys, newKey())).toBe(2);
  });

  test('keys without a limit of their own share what their user is given', async () => {
    const { newKey } = newUser();
    const asPartner = (caller: Caller): Caller => ({ ...caller, tier: 'partner' });
    expect(await served(asPartner(newKey()), asPartner(newKey()))).toBe(100);
    expect(await served(asPartner(newKey()))).toBe(0);
  });

  test('a key that carries a limit spends nothing of its user, and its user nothing of the key', async () => {
    const { session, newKey } = newUser();
    const carrying = withTier(newKey(), 'partner');
    expect(await served(session)).toBe(10);
    expect(await served(carrying)).toBe(100);
    store.clock.nowUs += SECOND;
    expect(await served(newKey())).toBe(1);
    expect(await served(carrying)).toBe(20);
  });

  test('a refused call of a key takes no token from either of its buckets', async () => {
    const { session, newKey } = newUser();
    const key = newKey();
    expect(await served(session)).toBe(10);
    expect(await served(key)).toBe(0);
    // Had the refusals emptied the key's own bucket, this would be 20.
    expect(await served(withTier(key, 'pro'))).toBe(30);
  });

  test('a tier that a task has not heard of has the limits of free, and its calls do not fail', async () => {
    const { session } = newUser();
    expect(await served(withTier(session, 'unheard-of'))).toBe(10);
    expect(await served(withTier(newUser().newKey(), 'unheard-of'))).toBe(10);
  });

  test('an added tier has the limits of the tier that it is based on, except its own', async () => {
    expect(limiter.table.of('payment', 'partner')).toMatchObject({ capacity: 90, refillTokens: 3 });
    expect(limiter.table.of('booking', 'partner')).toMatchObject({ capacity: 100, refillTokens: 20 });
    expect(limiter.table.of('login', 'partner')).toMatchObject({ capacity: 20, tier: 'all' });
  });
});
