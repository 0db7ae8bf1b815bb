import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

const suppression = { strikes: 3, firstBanMs: 5000, growth: 2, longestBanMs: 15_000, forgetAfterMs: 60_000 };

/** A stored bucket: whole numbers of seven, seven, three, three, four and four bytes. */
function storedAs({ parts = 0, at = 1_700_000_000_000_000, capacity = 10, refill = 1, intervalMs = 1000 }: Stored) {
  const numbers: [number, number][] = [
    [parts, 7],
    [at, 7],
    [capacity, 3],
    [refill, 3],
    [intervalMs, 4],
    [0, 4],
  ];
  return Buffer.concat(numbers.map(([value, bytes]) => inBytes(value, bytes)));
}
type Stored = { parts?: number; at?: number; capacity?: number; refill?: number; intervalMs?: number };

/** The optional suffix: highest burst, line (end, exempt end, begin), bans, banned until, forgotten at. */
const extra = ({ highest = 10, lineEnd = 0, bans = 0, bannedUntil = 0, forgottenAt = 0 }) =>
  Buffer.concat([
    inBytes(highest, 3),
    ...[lineEnd, 0, 0].map((instant) => inBytes(instant, 7)),
    inBytes(bans, 2),
    inBytes(bannedUntil, 7),
    inBytes(forgottenAt, 7),
  ]);

function inBytes(value: number, bytes: number) {
  const eight = Buffer.alloc(8);
  eight.writeBigUInt64LE(BigInt(value));
  return eight.subarray(0, bytes);
}

const junk: Record<string, string | Buffer> = {
  'an empty string': '',
  'a number': '7',
  'text of the right length': 'a'.repeat(28),
  'all bits set': Buffer.alloc(28, 0xff),
  'a bucket cut short': storedAs({ parts: 1_000_000 }).subarray(0, 24),
  'a bucket with one byte more': Buffer.concat([storedAs({ parts: 1_000_000 }), Buffer.from([0])]),
  'more tokens than the capacity': storedAs({ parts: 10_000_001 }),
  'a bucket without refill': storedAs({ parts: 5_000_000, refill: 0 }),
  'a bucket of zero capacity': storedAs({ capacity: 0 }),
  'tokens without a refill interval': storedAs({ parts: 0, intervalMs: 0 }),
};

onEachStore((store) => {
  test('this file writes buckets as the script reads them', async () => {
    const { take, store: overwrite } = bucketWith(store, { suppression });
    store.clock.nowUs = 1_700_000_000_000_000;
    await overwrite(storedAs({ parts: 2_500_000 }));
    expect(await take()).toMatchObject({ allowed: true, remaining: 1, nextTokenMs: 500 });
  });

  test.each(Object.keys(junk))('%s counts as an empty bucket, and refills', async (name) => {
    const { take, store: overwrite, key } = bucketWith(store, { suppression });
    await overwrite(junk[name] as string | Buffer);
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty', remaining: 0, retryAfterMs: 1000 });
    expect(await store.redis.pttl(key)).toBeGreaterThan(0);
    store.clock.nowUs += 1_000_000;
    expect(await take()).toMatchObject({ allowed: true, remaining: 0 });
  });

  test.each([1, 0])(
    'a stored ban that never ends, of %d bans, is shortened to what the policy allows',
    async (bans) => {
      const { take, store: overwrite, key } = bucketWith(store, { suppression });
      await overwrite(
        Buffer.concat([storedAs({ parts: 10_000_000 }), extra({ bans, bannedUntil: 2 ** 55, forgottenAt: 2 ** 55 })]),
      );
      if (bans > 0) {
        expect(await take()).toMatchObject({ reason: 'suppressed', retryAfterMs: 5000 });
        expect(await store.redis.pttl(key)).toBeLessThanOrEqual(3_600_000 + 15_000 + 60_000 + 1);
        store.clock.nowUs += 5_000_000;
      }
      expect(await take()).toMatchObject({ allowed: true });
    },
  );

  test('a stored line without an end promises no slot beyond what the policy promises', async () => {
    const { take, store: overwrite } = bucketWith(store, { suppression });
    store.clock.nowUs = 1_700_000_000_000_000;
    await overwrite(Buffer.concat([storedAs({ parts: 0 }), extra({ lineEnd: 2 ** 55 })]));
    const { retryAfterMs } = (await take()) as { retryAfterMs: number };
    expect(retryAfterMs).toBeLessThanOrEqual(5000);
  });

  test('a refused call gives an expiry to a bucket that was stored without one', async () => {
    const { take, store: overwrite, key } = bucketWith(store, {});
    store.clock.nowUs = 1_700_000_000_000_000;
    await overwrite(storedAs({}));
    await store.redis.persist(key);
    expect(await take()).toMatchObject({ allowed: false });
    expect(await store.redis.pttl(key)).toBeGreaterThan(0);
  });

  test.each([
    ['a list', (key: string) => store.redis.rpush(key, 'a', 'b')],
    ['a hash', (key: string) => store.redis.hset(key, { tokens: 5 })],
  ])('%s under the key of a bucket counts as an empty bucket, and gets an expiry', async (_, put) => {
    const { take, key } = bucketWith(store, {});
    await put(key);
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty', remaining: 0 });
    expect(await store.redis.type(key)).toBe('string');
    expect(await store.redis.pttl(key)).toBeGreaterThan(0);
  });

  test('refunding into a corrupt bucket is a no-op', async () => {
    const { reserve, refund, store: overwrite, stored } = bucketWith(store, {});
    const { receipt } = await reserve();
    await overwrite('junk');
    expect(await refund(receipt)).toBe(true);
    expect((await stored())?.toString()).toBe('junk');
  });
});
