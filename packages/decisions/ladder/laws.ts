import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { HandClock, Limiter, Open } from './limiter.ts';
import type { SmallLimit } from './take.ts';

/** One emission interval: long enough that no key expires while a law is checked, because keys expire by the real clock. */
const INTERVAL_US = 60_000_000;
const THREE: SmallLimit = { burst: 3, intervalUs: INTERVAL_US };
const SIX: SmallLimit = { burst: 6, intervalUs: INTERVAL_US };
/** A boundary of every window that the limits here have. */
const BEGIN_US = 157_500 * 10_800_000_000;

type Given = { limiter: Limiter; clock: HandClock; bucket: string; redis: Redis; open: Open };

/**
 * The laws of docs/limiter.md (`law` is its number there), each as an observation that every limiter of the ladder can be put to:
 * `holds` makes the calls on a real Redis whose clock is moved by hand, and returns whether the law was kept.
 */
export const laws = {
  concurrent: {
    law: 1,
    text: 'of 200 concurrent calls exactly the burst is allowed',
    async holds({ limiter, bucket }) {
      const calls = Array.from({ length: 200 }, () => limiter.take(bucket, SIX));
      return allowedOf(await Promise.all(calls)) === SIX.burst;
    },
  },
  bound: {
    law: 1,
    text: 'over any interval T at most burst + rate × T calls are served',
    async holds(given) {
      const window = THREE.burst * INTERVAL_US;
      const steady = Array.from({ length: 48 }, (_, n) => (n * INTERVAL_US) / 4);
      const boundary = [window - 1, window, 2 * window - 1, 2 * window].flatMap((at) => Array(THREE.burst).fill(at));
      for (const arrivals of [steady, boundary]) {
        const served = await servedAt({ ...given, bucket: newBucket() }, arrivals);
        if (!isBounded(served, THREE)) return false;
      }
      return true;
    },
  },
  full: {
    law: 2,
    text: 'a bucket starts full: the burst is served at once',
    async holds({ limiter, bucket }) {
      for (let call = 0; call < THREE.burst; call += 1) {
        const { allowed, delayUs = 0 } = await limiter.take(bucket, THREE);
        if (!allowed || delayUs > 0) return false;
      }
      return !(await limiter.take(bucket, THREE)).allowed;
    },
  },
  refill: {
    law: 2,
    text: 'it refills continuously: one emission interval brings exactly one call back, and fractions count',
    async holds({ limiter, bucket, clock }) {
      await takeAll(limiter, bucket, THREE);
      const outcomes: boolean[] = [];
      for (let third = 0; third < 3; third += 1) {
        clock.nowUs += INTERVAL_US / 3;
        outcomes.push((await limiter.take(bucket, THREE)).allowed);
      }
      outcomes.push((await limiter.take(bucket, THREE)).allowed);
      return outcomes.join() === 'false,false,true,false';
    },
  },
  refusals: {
    law: 3,
    text: 'a refused call takes no tokens',
    async holds({ limiter, clock }) {
      const [eager, patient] = [newBucket(), newBucket()];
      for (const bucket of [eager, patient]) await takeAll(limiter, bucket, THREE);
      for (let call = 0; call < 9; call += 1) {
        clock.nowUs += INTERVAL_US / 10;
        await limiter.take(eager, THREE);
      }
      clock.nowUs += 4.5 * INTERVAL_US;
      return (await takeAll(limiter, eager, THREE)) === (await takeAll(limiter, patient, THREE));
    },
  },
  wait: {
    law: 3,
    text: 'a client that waits for its retryAfter is served, and not a millisecond earlier',
    async holds({ limiter, bucket, clock }) {
      await takeAll(limiter, bucket, THREE, THREE.burst);
      clock.nowUs += INTERVAL_US / 4;
      const { waitUs } = await limiter.take(bucket, THREE);
      if (waitUs === undefined) return false;
      clock.nowUs += waitUs - 1000;
      if ((await limiter.take(bucket, THREE)).allowed) return false;
      clock.nowUs += 1000;
      return (await limiter.take(bucket, THREE)).allowed;
    },
  },
  impossible: {
    law: 3,
    text: 'a cost above the burst is refused without a wait, because none would help',
    async holds({ limiter, bucket }) {
      const { allowed, waitUs } = await limiter.take(bucket, THREE, { cost: THREE.burst + 1 });
      return !allowed && waitUs === undefined && (await takeAll(limiter, bucket, THREE)) === THREE.burst;
    },
  },
  clock: {
    law: 4,
    text: 'a task whose clock is wrong gains nothing',
    async holds({ limiter, bucket, clock }) {
      let served = 0;
      for (let call = 0; call < 20; call += 1) {
        const clockUs = clock.nowUs + (call % 2) * 20 * INTERVAL_US;
        if ((await limiter.take(bucket, THREE, { clockUs })).allowed) served += 1;
      }
      return served === THREE.burst;
    },
  },
  'set-back': {
    law: 4,
    text: 'a clock that is set back an hour mints nothing, and the refill goes on from there',
    async holds({ limiter, bucket, clock }) {
      await takeAll(limiter, bucket, THREE);
      clock.nowUs -= 60 * INTERVAL_US;
      if ((await limiter.take(bucket, THREE)).allowed) return false;
      clock.nowUs += INTERVAL_US;
      return (await takeAll(limiter, bucket, THREE)) === 1;
    },
  },
  expires: {
    law: 5,
    text: 'every key expires, but not before its bucket is full again',
    async holds({ open, redis, bucket }) {
      const limiter = open(redis);
      await takeAll(limiter, bucket, THREE, THREE.burst);
      const begunAt = performance.now();
      // A call for the whole burst has to wait until the bucket is full.
      const { waitUs } = await limiter.take(bucket, THREE, { cost: THREE.burst });
      const leftMs = await redis.pttl(limiter.keyOf(bucket));
      if (waitUs === undefined || leftMs < 0) return false;
      const fullMs = waitUs / 1000;
      return leftMs + (performance.now() - begunAt) >= fullMs && leftMs <= fullMs + 1000;
    },
  },
  together: {
    law: 6,
    text: 'the buckets of one call are all charged, or none',
    async holds({ limiter }) {
      const [wide, narrow] = [newBucket(), newBucket()];
      const limits: [SmallLimit, SmallLimit] = [THREE, { ...THREE, burst: 1 }];
      const [first, second] = [
        await limiter.takeBoth(wide, narrow, limits),
        await limiter.takeBoth(wide, narrow, limits),
      ];
      return first && !second && (await takeAll(limiter, wide, THREE)) === THREE.burst - 1;
    },
  },
  raised: {
    law: 7,
    text: 'a raised burst is granted at once, and once',
    async holds({ limiter, bucket }) {
      await takeAll(limiter, bucket, THREE);
      return (await takeAll(limiter, bucket, SIX)) === SIX.burst - THREE.burst;
    },
  },
  'to-and-fro': {
    law: 7,
    text: 'switching limits to and fro mints nothing',
    async holds({ limiter, bucket }) {
      let served = 0;
      for (let call = 0; call < 5; call += 1) if ((await limiter.take(bucket, SIX)).allowed) served += 1;
      for (let round = 0; round < 3; round += 1) {
        for (const limit of [THREE, SIX]) served += await takeAll(limiter, bucket, limit);
      }
      return served === SIX.burst;
    },
  },
  settled: {
    law: 7,
    text: 'time that passed under the old limit is worth the old rate',
    async holds({ limiter, bucket, clock }) {
      await takeAll(limiter, bucket, THREE);
      clock.nowUs += INTERVAL_US;
      return (await takeAll(limiter, bucket, { ...THREE, intervalUs: INTERVAL_US / 10 })) === 1;
    },
  },
  junk: {
    law: 8,
    text: 'a value that cannot be read counts as an empty bucket',
    async holds({ limiter, bucket, clock, redis }) {
      await redis.set(limiter.keyOf(bucket), 'junk', 'PX', 600_000);
      const answer = await limiter.take(bucket, THREE).catch(() => undefined);
      if (answer?.allowed !== false) return false;
      clock.nowUs += INTERVAL_US;
      return (await takeAll(limiter, bucket, THREE)) === 1;
    },
  },
  slots: {
    law: 9,
    text: 'refusals at one instant promise distinct slots, one emission interval apart',
    async holds({ limiter, bucket }) {
      await takeAll(limiter, bucket, { ...THREE, burst: 2 }, 2);
      const waits: (number | undefined)[] = [];
      for (let call = 1; call <= 3; call += 1) waits.push((await limiter.take(bucket, { ...THREE, burst: 2 })).waitUs);
      return waits.join() === [1, 2, 3].map((slot) => slot * INTERVAL_US).join();
    },
  },
  ban: {
    law: 10,
    text: 'a client that ignores Retry-After gets less than one that obeys it',
    async holds(given) {
      const span = 120 * INTERVAL_US;
      const hammer = Array.from({ length: 12 * 120 }, (_, n) => (n * INTERVAL_US) / 12);
      const hammering = (await servedAt({ ...given, bucket: newBucket() }, hammer)).length;
      const { limiter, clock } = given;
      const [bucket, endUs] = [newBucket(), clock.nowUs + span];
      let obeying = 0;
      while (clock.nowUs < endUs) {
        const { allowed, waitUs } = await limiter.take(bucket, THREE);
        if (allowed) obeying += 1;
        else if (waitUs === undefined) return false;
        else clock.nowUs += waitUs;
      }
      return hammering < obeying / 2;
    },
  },
} satisfies Record<string, Law>;

type Law = { law: number; text: string; holds: (given: Given) => Promise<boolean> };

export type LawName = keyof typeof laws;

/** Puts a limiter to one law. @param redis a connection whose keys the caller removes */
export function isKept(name: LawName, open: Open, redis: Redis): Promise<boolean> {
  const clock: HandClock = { nowUs: BEGIN_US };
  const law: Law = laws[name];
  return law.holds({ limiter: open(redis, clock), clock, bucket: newBucket(), redis, open });
}

const newBucket = () => randomBytes(16).toString('base64url');
const allowedOf = (answers: readonly { allowed: boolean }[]) => answers.filter(({ allowed }) => allowed).length;

/** Calls until one is refused. @returns how many were allowed, at most `most` */
async function takeAll(limiter: Limiter, bucket: string, limit: SmallLimit, most = 20) {
  let allowed = 0;
  while (allowed < most && (await limiter.take(bucket, limit)).allowed) allowed += 1;
  return allowed;
}

/** Calls at these times after a boundary of all windows, in order. @returns when the allowed ones were served */
async function servedAt({ limiter, bucket, clock }: Given, arrivalsUs: readonly number[]) {
  const served: number[] = [];
  for (const at of arrivalsUs) {
    clock.nowUs = BEGIN_US + at;
    const { allowed, delayUs = 0 } = await limiter.take(bucket, THREE);
    if (allowed) served.push(clock.nowUs + delayUs);
  }
  return served;
}

const isBounded = (served: readonly number[], { burst, intervalUs }: SmallLimit) =>
  served.every((from, first) =>
    served.slice(first).every((to, more) => more + 1 <= burst + Math.floor((to - from) / intervalUs)),
  );
