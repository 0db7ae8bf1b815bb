import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

const SECOND = 1_000_000;
const suppression = { strikes: 3, firstBanMs: 5000, growth: 2, longestBanMs: 15_000, forgetAfterMs: 60_000 };
const slow = { capacity: 1, refillTokens: 1, refillIntervalMs: 1000, suppression };

onEachStore((store) => {
  const wait = (us: number) => {
    store.clock.nowUs += us;
  };
  type Bucket = ReturnType<typeof bucketWith>;
  /** Empties the bucket, then hammers it until it is banned. */
  async function offend({ take }: Bucket) {
    expect(await take()).toMatchObject({ allowed: true });
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty' });
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty' });
    return take();
  }

  test('the refusal that completes the strikes starts a ban, and says how long it lasts', async () => {
    const bucket = bucketWith(store, slow);
    const banned = { allowed: false, reason: 'suppressed' };
    expect(await offend(bucket)).toMatchObject({ ...banned, begins: true, retryAfterMs: 5000 });
    wait(2 * SECOND);
    expect(await bucket.take()).toMatchObject({ ...banned, begins: false, remaining: 1, retryAfterMs: 3000 });
  });

  test('a ban ends by itself, and a client that waits for its end is served', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    wait(5 * SECOND - 1);
    expect(await bucket.take()).toMatchObject({ reason: 'suppressed', retryAfterMs: 1 });
    wait(1);
    expect(await bucket.take()).toMatchObject({ allowed: true });
  });

  test('a refusal during a ban names the later of the ban’s end and the next token', async () => {
    const bucket = bucketWith(store, { ...slow, refillIntervalMs: 8000 });
    expect(await offend(bucket)).toMatchObject({ reason: 'suppressed', retryAfterMs: 8000 });
    wait(8 * SECOND);
    expect(await bucket.take()).toMatchObject({ allowed: true });
  });

  test('attempts during a ban do not extend it', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    const before = await bucket.stored();
    for (let attempt = 0; attempt < 50; attempt++) {
      wait(0.09 * SECOND);
      expect(await bucket.take()).toMatchObject({ reason: 'suppressed' });
    }
    expect(await bucket.stored()).toEqual(before);
    wait(0.5 * SECOND);
    expect(await bucket.take()).toMatchObject({ allowed: true });
  });

  test('each further offence doubles the ban, up to the cap', async () => {
    const bucket = bucketWith(store, slow);
    const bansMs: (number | undefined)[] = [];
    for (let offence = 0; offence < 4; offence++) {
      const { retryAfterMs } = (await offend(bucket)) as { retryAfterMs: number };
      bansMs.push(retryAfterMs);
      wait(retryAfterMs * 1000);
    }
    expect(bansMs).toEqual([5000, 10_000, 15_000, 15_000]);
  });

  test('after clean time earlier bans are forgotten', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    wait(5 * SECOND);
    expect(await offend(bucket)).toMatchObject({ retryAfterMs: 10_000 });
    // Clean time starts when the ban ends.
    wait(10 * SECOND + 60 * SECOND);
    expect(await offend(bucket)).toMatchObject({ retryAfterMs: 5000 });
  });

  test('a client that keeps to the limit is never banned, even if it often calls a little early', async () => {
    const { take } = bucketWith(store, slow);
    for (let call = 0; call < 40; call++) {
      expect((await take()).allowed).toBe(call % 2 === 0);
      wait(0.5 * SECOND);
    }
  });

  test('a client that keeps being refused more often than served is banned', async () => {
    const { take } = bucketWith(store, slow);
    const reasons: string[] = [];
    for (let call = 0; call < 12; call++) {
      const decision = await take();
      reasons.push(decision.allowed ? 'served' : decision.reason);
      wait(0.34 * SECOND);
    }
    expect(reasons.indexOf('suppressed')).toBe(5);
  });

  test('a ban affects one bucket only', async () => {
    await offend(bucketWith(store, slow));
    expect(await bucketWith(store, slow).take()).toMatchObject({ allowed: true });
  });

  test('an impossible call is no strike', async () => {
    const { take } = bucketWith(store, slow);
    for (let call = 0; call < 5; call++) expect(await take(2)).toMatchObject({ reason: 'impossible' });
    expect(await take()).toMatchObject({ allowed: true });
  });

  test('a clock that is set back extends no ban beyond its length', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    wait(-3600 * SECOND);
    expect(await bucket.take()).toMatchObject({ reason: 'suppressed', retryAfterMs: 5000 });
    wait(5 * SECOND);
    expect(await bucket.take()).toMatchObject({ allowed: true });
  });

  test('a milder policy shortens running bans, and a policy without suppression ends them', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    bucket.changeTo({ suppression: { ...suppression, firstBanMs: 2000 } }, 1);
    expect(await bucket.take()).toMatchObject({ reason: 'suppressed', retryAfterMs: 2000 });
    wait(SECOND);
    bucket.changeTo({ suppression: null }, 2);
    expect(await bucket.take()).toMatchObject({ allowed: true });
  });

  test('a key lives until its bans are forgotten', async () => {
    const bucket = bucketWith(store, slow);
    await offend(bucket);
    const leftMs = (await store.redis.pttl(bucket.key)) - 3_600_000;
    expect(leftMs).toBeGreaterThan(65_000 - 2000);
    expect(leftMs).toBeLessThanOrEqual(65_001);
  });
});
