import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

const SECOND = 1_000_000;

onEachStore((store) => {
  const wait = (us: number) => {
    store.clock.nowUs += us;
  };

  test('a lowered capacity clamps the bucket at once', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 100 });
    await take(10);
    changeTo({ capacity: 5 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 4 });
  });

  test('a lowered capacity takes nothing from a bucket that holds less', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    await take(7);
    changeTo({ capacity: 5 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('a raised capacity adds what was added, to an empty bucket too', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    await take(10);
    changeTo({ capacity: 30, refillTokens: 3 });
    expect(await take()).toMatchObject({ allowed: true, remaining: 19 });
  });

  test('a raised rate does not pay backwards: the time before the change is settled at the old rate', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 100, refillTokens: 1 });
    await take(100);
    wait(10 * SECOND);
    changeTo({ refillTokens: 100 });
    expect(await take(11)).toMatchObject({ allowed: false, remaining: 10, retryAfterMs: 10 });
    wait(0.01 * SECOND);
    expect(await take(11)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('a change is settled by the first call after it, even one that is refused', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10, refillTokens: 1 });
    await take(10);
    changeTo({ refillTokens: 10 });
    expect(await take(10)).toMatchObject({ allowed: false });
    wait(SECOND);
    expect(await take(10)).toMatchObject({ allowed: true });
  });

  test('another refill interval keeps the tokens to the last whole part', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10, refillTokens: 1, refillIntervalMs: 1000 });
    await take(10);
    wait(4.5 * SECOND);
    changeTo({ refillTokens: 7, refillIntervalMs: 86_400_000 });
    // Half a token at seven tokens a day.
    expect(await take(5)).toMatchObject({ allowed: false, remaining: 4, retryAfterMs: Math.ceil(86_400_000 / 7 / 2) });
  });

  test('going down a tier and up again gives nothing that was given before', async () => {
    const free = { capacity: 10, refillTokens: 1 };
    const pro = { capacity: 30, refillTokens: 3 };
    const { take, changeTo } = bucketWith(store, pro);
    await take(25);
    changeTo(free);
    expect(await take()).toMatchObject({ remaining: 4 });
    changeTo(pro);
    expect(await take()).toMatchObject({ remaining: 3 });
  });

  test('a task that has not heard of a change cannot undo it, nor have it granted twice', async () => {
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

  test('who alternates two limits is served no more than the larger capacity and the larger rate allow', async () => {
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

  test('when it has refilled as far as it was ever given, a bucket gains an added capacity again', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 30, refillTokens: 3 });
    await take(25);
    changeTo({ capacity: 10, refillTokens: 1 });
    await take();
    wait(26 * SECOND);
    changeTo({ capacity: 30, refillTokens: 3 });
    expect(await take()).toMatchObject({ remaining: 29 });
  });

  test('a bucket outlives the time in which its highest capacity would be given a second time', async () => {
    const { take, changeTo, key } = bucketWith(store, { capacity: 30, refillTokens: 3 });
    await take(30);
    changeTo({ capacity: 2, refillTokens: 1 });
    await take(2);
    expect(await store.redis.pttl(key)).toBeGreaterThan(3_600_000 + 20_000);
  });

  test('a revision that nobody confirms for ten seconds is forgotten, as after a restored database, and mints nothing', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    changeTo({ capacity: 4 }, 1000);
    await take(4);
    changeTo({ capacity: 10 }, 1);
    let waited = 0;
    let answer = await take();
    while (answer.rate.capacity === 4 && waited < 60) {
      wait(SECOND);
      waited += 1;
      answer = await take();
    }
    expect(waited).toBe(11);
    expect(answer.remaining).toBeLessThanOrEqual(6);
    changeTo({ capacity: 4 }, 2);
    expect(await take()).toMatchObject({ rate: { capacity: 4 } });
  });

  test('a revision that is confirmed stays, however long others have not heard of it', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    for (let second = 0; second < 30; second++) {
      changeTo({ capacity: 4 }, 2);
      await take();
      wait(SECOND);
      changeTo({ capacity: 10 }, 1);
      expect(await take()).toMatchObject({ rate: { capacity: 4 } });
    }
  });

  test('a task that has not heard of a change is told the limit in force', async () => {
    const { take, changeTo } = bucketWith(store, { capacity: 10 });
    changeTo({ capacity: 4 }, 2);
    await take();
    changeTo({ capacity: 10 }, 1);
    expect(await take()).toMatchObject({ remaining: 2, rate: { capacity: 4 } });
  });

  test('a receipt from before a change gives nothing back: the change has given what it gives', async () => {
    const { take, reserve, refund, changeTo } = bucketWith(store, { capacity: 5 });
    const { receipt } = await reserve();
    changeTo({ capacity: 7 });
    expect(await take()).toMatchObject({ remaining: 5 });
    expect(await refund(receipt)).toBe(true);
    expect(await take()).toMatchObject({ remaining: 4 });
  });
});
