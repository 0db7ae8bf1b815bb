import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

const suppression = { strikes: 3, firstBanMs: 5000, growth: 2, longestBanMs: 15_000, forgetAfterMs: 60_000 };

/** What a bucket is stored as: two doubles and four integers, and for the ladder two short integers and two doubles. */
function storedAs({ parts = 0, at = 1_700_000_000_000_000, capacity = 10, ladder }: Stored) {
  const bucket = Buffer.alloc(ladder ? 52 : 32);
  bucket.writeDoubleLE(parts, 0);
  bucket.writeDoubleLE(at, 8);
  [capacity, 1, 1000, 0].forEach((value, index) => {
    bucket.writeUInt32LE(value, 16 + 4 * index);
  });
  if (ladder) {
    bucket.writeUInt16LE(1, 32);
    bucket.writeUInt16LE(1, 34);
    bucket.writeDoubleLE(ladder[0], 36);
    bucket.writeDoubleLE(ladder[1], 44);
  }
  return bucket;
}
type Stored = { parts?: number; at?: number; capacity?: number; ladder?: [number, number] };

const junk: Record<string, string | Buffer> = {
  'an empty string': '',
  'a number': '7',
  'text of the right length': 'a'.repeat(32),
  'a bucket cut short': storedAs({ parts: 1_000_000 }).subarray(0, 24),
  'a bucket with one byte more': Buffer.concat([storedAs({ parts: 1_000_000 }), Buffer.from([0])]),
  'more tokens than the capacity': storedAs({ parts: 10_000_001 }),
  'less than no tokens': storedAs({ parts: -1 }),
  'tokens that are no number': storedAs({ parts: Number.NaN }),
  'endless tokens': storedAs({ parts: Number.POSITIVE_INFINITY }),
  'a time that is no number': storedAs({ at: Number.NaN }),
  'an endless time': storedAs({ at: Number.NEGATIVE_INFINITY }),
  'a ban without an end': storedAs({ ladder: [Number.POSITIVE_INFINITY, 2e15] }),
  'a ladder that is never forgotten': storedAs({ ladder: [0, Number.NaN] }),
};

onEachStore((store) => {
  test('what the store holds is written here as the script reads it', async () => {
    const { take, store: overwrite } = bucketWith(store, { suppression });
    store.clock.nowUs = 1_700_000_000_000_000;
    await overwrite(storedAs({ parts: 2_500_000 }));
    expect(await take()).toMatchObject({ allowed: true, remaining: 1, nextTokenMs: 500 });
  });

  test.each(Object.keys(junk))('%s counts as an empty bucket, and mends itself', async (name) => {
    const { take, store: overwrite, key } = bucketWith(store, { suppression });
    await overwrite(junk[name] as string | Buffer);
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty', remaining: 0, retryAfterMs: 1000 });
    expect(await store.redis.pttl(key)).toBeGreaterThan(0);
    store.clock.nowUs += 1_000_000;
    expect(await take()).toMatchObject({ allowed: true, remaining: 0 });
  });

  test.each([
    ['a list', (key: string) => store.redis.rpush(key, 'a', 'b')],
    ['a hash', (key: string) => store.redis.hset(key, { tokens: 5 })],
  ])('%s in the place of a bucket counts as an empty one, and gets an expiry', async (_, put) => {
    const { take, key } = bucketWith(store, {});
    await put(key);
    expect(await take()).toMatchObject({ allowed: false, reason: 'empty', remaining: 0 });
    expect(await store.redis.type(key)).toBe('string');
    expect(await store.redis.pttl(key)).toBeGreaterThan(0);
  });

  test('a refund into junk changes nothing and is no error', async () => {
    const { reserve, refund, store: overwrite, stored } = bucketWith(store, {});
    const { receipt } = await reserve();
    await overwrite('junk');
    expect(await refund(receipt)).toBe(true);
    expect((await stored())?.toString()).toBe('junk');
  });
});
