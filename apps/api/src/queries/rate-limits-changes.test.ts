import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

const SECOND = 1_000_000;

onEachStore((store) => {
  const wait = (us: number) => {
    store.clock.nowUs += us;
  };

  test('a lowered burst clamps the bucket at once', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 100 });
    await take(10);
    changeTo({ capacity: 5 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 4 });
  });

  test('a lowered burst leaves a bucket that holds less unchanged', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    await take(7);
    changeTo({ capacity: 5 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('a raised burst adds the difference, to an empty bucket too', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    await take(10);
    changeTo({ capacity: 30, refillTokens: 3 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 19 });
  });

  test('the time before a change is settled at the old rate', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 100, refillTokens: 1 });
    await take(100);
    wait(10 * SECOND);
    changeTo({ refillTokens: 100 });
    expect(await take(11)).toMatchObject({ allowed: false, remaining: 10, retryAfterMs: 10 });
    wait(0.01 * SECOND);
    expect(await take(11)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('the first call after a change settles it, even if it is refused', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10, refillTokens: 1 });
    await take(10);
    changeTo({ refillTokens: 10 });
    expect(await take(10)).toMatchObject({ allowed: false });
    wait(SECOND);
    expect(await take(10)).toMatchObject({ allowed: true });
  });

  test('a change of the refill interval keeps the tokens, rounded down to whole parts', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10, refillTokens: 1, refillIntervalMs: 1000 });
    await take(10);
    wait(4.5 * SECOND);
    changeTo({ refillTokens: 7, refillIntervalMs: 86_400_000 });
    // Half a token at seven tokens a day.
    expect(await take(5)).toMatchObject({ allowed: false, remaining: 4, retryAfterMs: Math.ceil(86_400_000 / 7 / 2) });
  });

  test('switching down a tier and up again grants no burst twice', async () => {
    const free = { capacity: 10, refillTokens: 1 };
    const pro = { capacity: 30, refillTokens: 3 };
    const { take, changeTo } = bucketWith(store, pro);
    await take(25);
    changeTo(free);
    expect(await take()).toMatchObject({ remaining: 4 });
    changeTo(pro);
    expect(await take()).toMatchObject({ remaining: 3 });
  });

  test('a task with an older revision can neither undo a change nor have it granted twice', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    await take(10);
    let served = 0;
    for (let round = 0; round < 20; round++) {
      changeTo({ capacity: 30 }, 2);
      if ((await take()).allowed) served++;
      changeTo({ capacity: 10 }, 1);
      if ((await take()).allowed) served++;
    }
    expect(served).toBe(20);
  });

  test('alternating two limits grants no more than the larger burst and the larger rate allow', async () => {
    const limits = [
      { capacity: 10, refillTokens: 1 },
      { capacity: 30, refillTokens: 3 },
    ];
    for (const [stepUs, calls] of [
      [0, 120],
      [50_000, 400],
      [1_500_000, 400],
    ] as const) {
      const { take, changeTo } = bucketWith(store, limits[0] ?? {});
      let served = 0;
      for (let call = 0; call < calls; call++) {
        if (call > 0) wait(stepUs);
        changeTo(limits[call % 2] ?? {}, call % 3);
        if ((await take()).allowed) served++;
      }
      expect(served).toBeGreaterThanOrEqual(10);
      expect(served).toBeLessThanOrEqual(30 + (3 * ((calls - 1) * stepUs)) / SECOND);
    }
  });

  test('a bucket that has refilled to its highest burst gains an added burst again', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 30, refillTokens: 3 });
    await take(25);
    changeTo({ capacity: 10, refillTokens: 1 });
    await take();
    wait(26 * SECOND);
    changeTo({ capacity: 30, refillTokens: 3 });
    expect(await take()).toMatchObject({ remaining: 29 });
  });

  test('a key lives until its highest burst would have refilled', async () => {
    const { take, changeTo, key } = bucketWith(store, { capacity: 30, refillTokens: 3 });
    await take(30);
    changeTo({ capacity: 2, refillTokens: 1 });
    await take(2);
    expect(await store.redis.pttl(key)).toBeGreaterThan(3_600_000 + 20_000);
  });

  test('a newer revision stays in force, however long some tasks lag behind', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    for (let second = 0; second < 30; second++) {
      changeTo({ capacity: 4 }, 2);
      await take();
      wait(SECOND);
      changeTo({ capacity: 10 }, 1);
      expect(await take()).toMatchObject({ rate: { capacity: 4 } });
    }
  });

  test('a decision names the limit in force to a task with an older revision', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    changeTo({ capacity: 4 }, 2);
    await take();
    changeTo({ capacity: 10 }, 1);
    expect(await take()).toMatchObject({ remaining: 2, rate: { capacity: 4 } });
  });

  test('a receipt from before a change refunds nothing, because the change has already granted the difference', async () => {
    const { take, reserve, refund, changeTo } = bucketWith(store, { capacity: 5 });
    const { receipt } = await reserve();
    changeTo({ capacity: 7 });
    expect(await take()).toMatchObject({ remaining: 5 });
    expect(await refund(receipt)).toBe(true);
    expect(await take()).toMatchObject({ remaining: 4 });
  });
});
