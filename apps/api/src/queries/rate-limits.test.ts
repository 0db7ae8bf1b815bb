import { expect, test } from 'vitest';
import { bucketWith, limitOf, newBucket, onEachStore } from '../testing/limiter-stores.ts';
import { takeToken, takeTokens } from './rate-limits.ts';

const SECOND = 1_000_000;
const allowed = { allowed: true };
const refused = { allowed: false, reason: 'empty' };

onEachStore((store) => {
  const wait = (us: number) => {
    store.clock.nowUs += us;
  };

  test('a bucket starts full, and its last token is served', async () => {
    const { take } = bucketWith(store, { capacity: 2 });
    expect(await take()).toMatchObject({ ...allowed, remaining: 1 });
    expect(await take()).toMatchObject({ ...allowed, remaining: 0 });
    expect(await take()).toMatchObject({ ...refused, remaining: 0 });
  });

  test('a bucket never holds more than its capacity', async () => {
    const { take } = bucketWith(store, { capacity: 3 });
    await take();
    wait(1_000_000 * SECOND);
    expect(await take(3)).toMatchObject({ ...allowed, remaining: 0 });
    expect(await take()).toMatchObject(refused);
  });

  test('the refill is continuous: at one token per second, calls every 0.6 s are allowed and refused in turn', async () => {
    const { take } = bucketWith(store, { capacity: 1 });
    const outcomes: boolean[] = [];
    for (let call = 0; call < 6; call++) {
      outcomes.push((await take()).allowed);
      wait(0.6 * SECOND);
    }
    expect(outcomes).toEqual([true, false, true, false, true, false]);
  });

  test('fractions add up exactly: three thirds of a token are one token, not a microsecond earlier', async () => {
    const { take } = bucketWith(store, { capacity: 1, refillTokens: 1, refillIntervalMs: 3 });
    await take();
    for (let third = 0; third < 2; third++) {
      wait(1000);
      expect(await take()).toMatchObject(refused);
    }
    wait(999);
    expect(await take()).toMatchObject(refused);
    wait(1);
    expect(await take()).toMatchObject(allowed);
  });

  test('tokens refill evenly within an interval: at 7 tokens per 10 s, two take 2.857143 s', async () => {
    const { take } = bucketWith(store, { capacity: 7, refillTokens: 7, refillIntervalMs: 10_000 });
    await take(7);
    wait(2_857_142);
    expect(await take(2)).toMatchObject(refused);
    wait(1);
    expect(await take(2)).toMatchObject(allowed);
  });

  test('fast rates are exact too: 8000 tokens per second are eight per millisecond', async () => {
    const { take } = bucketWith(store, { capacity: 8000, refillTokens: 8000 });
    await take(8000);
    wait(1000);
    expect(await take(9)).toMatchObject({ ...refused, remaining: 8 });
    expect(await take(8)).toMatchObject({ ...allowed, remaining: 0 });
  });

  test('a refused call consumes no tokens', async () => {
    const { take } = bucketWith(store, { capacity: 10 });
    await take(8);
    wait(0.4 * SECOND);
    expect(await take(5)).toMatchObject({ ...refused, remaining: 2 });
    wait(0.6 * SECOND);
    expect(await take()).toMatchObject({ ...allowed, remaining: 2 });
  });

  test('a refused call does not prolong the key’s expiry, whatever its cost', async () => {
    const { take, key } = bucketWith(store, { capacity: 1_000_000, refillTokens: 1, refillIntervalMs: 1 });
    await take(1);
    await take(999_999);
    const before = await store.redis.pexpiretime(key);
    expect(await take(1_000_000)).toMatchObject(refused);
    // The key was rewritten under the real clock, which has moved by milliseconds; the call would have cost 1000 s.
    expect((await store.redis.pexpiretime(key)) - before).toBeLessThan(10_000);
  });

  test('a call that costs more than the burst is impossible, and gets no retryAfter', async () => {
    const { take, stored } = bucketWith(store, { capacity: 10 });
    const impossible = { allowed: false, reason: 'impossible', retryAfterMs: undefined };
    expect(await take(11)).toMatchObject({ ...impossible, remaining: 10, fullMs: 0 });
    expect(await take(Number.MAX_SAFE_INTEGER)).toMatchObject(impossible);
    expect(await stored()).toBeNull();
    expect(await take(10)).toMatchObject({ ...allowed, remaining: 0 });
  });

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'a cost of %d is rejected, and leaves nothing behind',
    async (cost) => {
      const { take, stored } = bucketWith(store, {});
      await expect(take(cost)).rejects.toThrow(RangeError);
      expect(await stored()).toBeNull();
    },
  );

  test('a client that waits for Retry-After is served, and not a microsecond earlier', async () => {
    const { take } = bucketWith(store, { capacity: 3, refillTokens: 3, refillIntervalMs: 7000 });
    await take(3);
    wait(1_234_567);
    // 2 tokens take 4,666,666.67 µs.
    const told = await take(2);
    expect(told).toMatchObject({ ...refused, retryAfterMs: 3433 });
    wait(4_666_666 - 1_234_567);
    expect(await take(2)).toMatchObject(refused);
    wait(1);
    expect(await take(2)).toMatchObject({ ...allowed, remaining: 0 });
  });

  test('a wait of exactly two seconds is reported as two seconds', async () => {
    const { take } = bucketWith(store, { capacity: 2 });
    await take(2);
    expect(await take(2)).toMatchObject({ retryAfterMs: 2000, nextTokenMs: 1000, fullMs: 2000 });
  });

  test('a clock that is set back mints no tokens, and the refill continues from there', async () => {
    const { take } = bucketWith(store, { capacity: 2 });
    await take(2);
    wait(-3600 * SECOND);
    expect(await take()).toMatchObject({ ...refused, retryAfterMs: 1000 });
    wait(SECOND);
    expect(await take()).toMatchObject({ ...allowed, remaining: 0 });
    wait(3600 * SECOND);
    expect(await take(2)).toMatchObject(allowed);
  });

  test('a clock that swings back and forth mints no tokens', async () => {
    const { take } = bucketWith(store, { capacity: 5, refillIntervalMs: 3_600_000 });
    let served = 0;
    for (let call = 0; call < 40; call++) {
      if ((await take()).allowed) served++;
      wait(call % 2 === 0 ? 10 * SECOND : -10 * SECOND);
    }
    expect(served).toBe(5);
  });

  test('all buckets of a call are charged, or none', async () => {
    const wide = bucketWith(store, { capacity: 10 });
    const narrow = bucketWith(store, { capacity: 1 });
    const both = () => takeTokens(store.clocked, [wide.asTake, narrow.asTake]);
    expect(await both()).toMatchObject([{ remaining: 9 }, { remaining: 0 }]);
    const [first, second] = await both();
    expect(first).toMatchObject({ ...allowed, remaining: 9 });
    expect(second).toMatchObject({ ...refused, remaining: 0, retryAfterMs: 1000 });
    expect(await wide.take()).toMatchObject({ remaining: 8 });
  });

  test('a bucket in shadow mode never refuses, and is charged when the call is allowed', async () => {
    const enforced = bucketWith(store, { capacity: 10 });
    const shadow = bucketWith(store, { capacity: 1, shadow: true });
    const both = () => takeTokens(store.clocked, [shadow.asTake, enforced.asTake]);
    expect(await both()).toMatchObject([allowed, { ...allowed, remaining: 9 }]);
    expect(await both()).toMatchObject([refused, { ...allowed, remaining: 8 }]);
  });

  test('a receipt refunds its token once', async () => {
    const { take, reserve, refund } = bucketWith(store, { capacity: 3 });
    await take();
    const { decision, receipt } = await reserve();
    expect(decision).toMatchObject({ ...allowed, remaining: 1 });
    expect(await refund(receipt)).toBe(true);
    expect(await refund(receipt)).toBe(false);
    expect(await take()).toMatchObject({ ...allowed, remaining: 1 });
  });

  test('ten concurrent refunds of one receipt count once', async () => {
    const { take, reserve, refund } = bucketWith(store, { capacity: 5 });
    await take(3);
    const { receipt } = await reserve();
    const refunds = await Promise.all(Array.from({ length: 10 }, () => refund(receipt)));
    expect(refunds.filter(Boolean)).toHaveLength(1);
    expect(await take()).toMatchObject({ remaining: 1 });
  });

  test('the receipt of a refused call refunds nothing', async () => {
    const { take, reserve, refund } = bucketWith(store, { capacity: 1 });
    await take();
    const { decision, receipt } = await reserve();
    expect(decision).toMatchObject(refused);
    expect(await refund(receipt)).toBe(false);
    expect(await take()).toMatchObject(refused);
  });

  test('a refund mints no tokens: what the refill has replaced is not refunded', async () => {
    const { take, reserve, refund } = bucketWith(store, { capacity: 2 });
    const { receipt } = await reserve();
    wait(SECOND);
    await take();
    // The bucket had refilled before the second call: refunding the first token would make three at one instant.
    expect(await refund(receipt)).toBe(true);
    expect(await take()).toMatchObject({ ...allowed, remaining: 0 });
    expect(await take()).toMatchObject(refused);
  });

  test('a refund of an expired bucket leaves no key behind', async () => {
    const { reserve, refund, stored, key } = bucketWith(store, {});
    const { receipt } = await reserve();
    await store.redis.del(key);
    expect(await refund(receipt)).toBe(true);
    expect(await stored()).toBeNull();
  });

  test('every decision names the limit in force', async () => {
    const decision = await takeToken(store.redis, { bucket: newBucket(), limit: limitOf({ capacity: 4 }) });
    expect(decision.rate).toEqual({ capacity: 4, refillTokens: 1, refillIntervalMs: 1000 });
  });
});
