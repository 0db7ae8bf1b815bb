import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { limitOf, newBucket, onEachStore } from '../testing/limiter-stores.ts';
import { type Decision, reserveToken, takeToken } from './rate-limits.ts';

afterEach(() => {
  vi.useRealTimers();
});

onEachStore((store) => {
  const take = (bucket: string, limit: ReturnType<typeof limitOf>) => takeToken(store.redis, { bucket, limit });
  const servedOf = (decisions: Decision[]) => decisions.filter((decision) => decision.allowed).length;

  test('a burst of five serves exactly five of a thousand concurrent calls', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 5, refillIntervalMs: 3_600_000 });
    const decisions = await Promise.all(Array.from({ length: 1000 }, () => take(bucket, limit)));
    expect(servedOf(decisions)).toBe(5);
    expect(decisions.every(({ remaining }) => remaining >= 0)).toBe(true);
  });

  test('over any interval all callers together get at most burst + rate × time', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 20, refillTokens: 100 });
    const begunAt = performance.now();
    let served = 0;
    let asked = 0;
    const caller = async () => {
      while (performance.now() - begunAt < 1500) {
        asked++;
        if ((await take(bucket, limit)).allowed) served++;
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    const spanMs = performance.now() - begunAt;
    expect(asked).toBeGreaterThan(served);
    expect(served).toBeLessThanOrEqual(20 + Math.floor(spanMs / 10));
    // And not too little: a busy machine wastes refill of a full bucket, but not all of it.
    expect(served).toBeGreaterThan(20 + 40);
  });

  test('a client that waits for Retry-After is served by the real clock too', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 1, refillIntervalMs: 40 });
    await take(bucket, limit);
    for (let round = 0; round < 5; round++) {
      const refused = await take(bucket, limit);
      if (refused.allowed) continue;
      await new Promise((resolve) => setTimeout(resolve, (refused.retryAfterMs as number) + 1));
      expect(await take(bucket, limit)).toMatchObject({ allowed: true });
    }
  });

  test('a task with a wrong clock gains nothing, an hour ahead or an hour behind', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 5, refillIntervalMs: 60_000 });
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    let served = 0;
    for (let call = 0; call < 20; call++) {
      vi.setSystemTime(now + (call % 2 === 0 ? 1 : -1) * 3_600_000);
      if ((await take(bucket, limit)).allowed) served++;
    }
    expect(served).toBe(5);
  });

  test('every key expires, but not before its bucket is full again', async () => {
    for (const refillIntervalMs of [1, 15_000, 86_400_000]) {
      const bucket = newBucket();
      const { fullMs } = await take(bucket, limitOf({ capacity: 3, refillIntervalMs }));
      const leftMs = await store.redis.pttl(`limit:{${bucket}}`);
      // A bucket that is full within milliseconds may have expired already.
      if (leftMs === -2 && fullMs <= 2) continue;
      expect(leftMs).toBeGreaterThan(Math.min(fullMs - 5000, fullMs / 2));
      expect(leftMs).toBeLessThanOrEqual(fullMs + 2);
    }
  });

  test('an idle identity leaves no key behind, and finds its bucket full', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 2, refillIntervalMs: 20 });
    await take(bucket, limit);
    await vi.waitFor(async () => expect(await store.redis.exists(`limit:{${bucket}}`)).toBe(0), { timeout: 5000 });
    expect(await take(bucket, limit)).toMatchObject({ allowed: true, remaining: 1 });
  });

  test('every receipt expires', async () => {
    const bucket = newBucket();
    const { receipt } = await reserveToken(store.redis, { bucket, limit: limitOf({}) }, 30_000);
    const leftMs = await store.redis.pttl(`limit:{${bucket}}:receipt:${receipt.id}`);
    expect(leftMs).toBeGreaterThan(20_000);
    expect(leftMs).toBeLessThanOrEqual(30_000);
  });

  test('a server without the script receives its text, and charges once', async () => {
    const bucket = newBucket();
    const limit = limitOf({ capacity: 5 });
    const masters = 'nodes' in store.redis ? store.redis.nodes('master') : [store.redis];
    for (const server of masters) await server.script('FLUSH');
    const decisions = await Promise.all([take(bucket, limit), take(bucket, limit)]);
    expect(servedOf(decisions)).toBe(2);
    expect(Math.min(...decisions.map(({ remaining }) => remaining))).toBe(3);
  });

  test('an idle bucket takes less than 200 bytes', async () => {
    const bucket = newBucket();
    await take(bucket, limitOf({ suppression }));
    expect(await store.redis.memory('USAGE', `limit:{${bucket}}`)).toBeLessThan(200);
  });
});

const suppression = { strikes: 3, firstBanMs: 5000, growth: 2, longestBanMs: 15_000, forgetAfterMs: 60_000 };
