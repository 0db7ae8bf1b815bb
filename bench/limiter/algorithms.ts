import type { HandClock, Limiter } from '@minitickets/decisions/ladder/limiter';
import { type Rung, rungs, scriptOf } from '@minitickets/decisions/ladder/rungs';
import { Redis } from 'ioredis';
import { decideTogether } from '../../apps/api/src/queries/rate-limits-script.ts';
import { makeLimit } from '../../apps/api/src/rules/limit-table.ts';

const SECOND_US = 1_000_000;
const WINDOW_US = 60 * SECOND_US;
/** The limit of every algorithm here: 20 calls a minute. Where there is a burst, it is 20 and one token flows back each 3 s. */
const LIMIT = { burst: 20, intervalUs: WINDOW_US / 20 };
const HALF = { burst: 10, intervalUs: WINDOW_US / 10 };
/** A boundary of the windows, at an hour that no window of these limits straddles. */
const BEGIN_US = 1_800_000 * 1000 * SECOND_US;

export type Compared = {
  name: string;
  /** Most calls served within one second and within one minute, in parts of the limit. */
  atOnce: number;
  inAMinute: number;
  /** Bytes of a key after one call, and after the whole burst. */
  bytes: [afterOne: number, afterBurst: number];
  /** Microseconds in Redis for a served and for a refused call, in parts of the token bucket's. */
  redis: [served: number, refused: number];
};

/** Compares the algorithms of the ladder, the published script aside: it does not limit. */
export async function compareAlgorithms(url: string, rounds: number): Promise<Compared[]> {
  const redis = new Redis(url);
  try {
    const compared = rungs.filter(({ name }) => name !== 'published');
    const times = await measureTimes(url, compared, rounds);
    const rows: Compared[] = [];
    for (const rung of compared) {
      await redis.flushdb();
      const bytes = await measureBytes(redis, rung.open(redis));
      rows.push({ name: rung.name, ...(await measureOverGrant(redis, rung, LIMIT)), bytes, redis: times(rung.name) });
    }
    const bucket = compared.find(({ name }) => name === 'token-bucket') as Rung;
    const [like] = rows.filter(({ name }) => name === 'token-bucket') as [Compared];
    rows.push({
      ...like,
      name: 'token-bucket, half the burst and rate',
      ...(await measureOverGrant(redis, bucket, HALF)),
    });
    return rows;
  } finally {
    redis.disconnect();
  }
}

/** Arrival patterns: one call, which opens a window; as many as are served at once; later again, at each of these times, in s. */
const TIMES = [0, 15, 30, 45, 59, 59.999, 60, 75, 90, 105, 118, 119.999, 120];
/** The clock and the limit run this much slower for them: keys expire by the real clock, and must not before the pattern is over. */
const SLOWER = 1000;
const patterns = TIMES.flatMap((once, index) =>
  TIMES.slice(index).map((from) => [once, ...TIMES.filter((at) => at >= from)]),
);

/** The worst of all patterns, on Redis with a clock that is moved by hand: no pattern takes time, and every run finds the same. */
async function measureOverGrant(redis: Redis, { open }: Rung, limit: typeof LIMIT) {
  const clock: HandClock = { nowUs: BEGIN_US };
  const limiter = open(redis, clock);
  const slow = { ...limit, intervalUs: limit.intervalUs * SLOWER };
  let [atOnce, inAMinute] = [0, 0];
  for (const [nth, times] of patterns.entries()) {
    const served: number[] = [];
    const takeAtOnce = async (atSeconds: number, calls: number) => {
      clock.nowUs = BEGIN_US + atSeconds * SECOND_US * SLOWER;
      const bucket = `pattern ${nth} of ${limit.burst}`;
      const answers = await Promise.all(Array.from({ length: calls }, () => limiter.take(bucket, slow)));
      await redis.persist(limiter.keyOf(bucket));
      for (const { allowed, delayUs = 0 } of answers) if (allowed) served.push(clock.nowUs + delayUs);
    };
    await takeAtOnce(0, 1);
    for (const at of times) await takeAtOnce(at, LIMIT.burst + 1);
    served.sort((a, b) => a - b);
    const most = (spanUs: number) =>
      Math.max(
        ...served.map((from, first) => served.filter((at, n) => n >= first && at < from + spanUs * SLOWER).length),
      );
    atOnce = Math.max(atOnce, most(SECOND_US) / LIMIT.burst);
    inAMinute = Math.max(inAMinute, most(WINDOW_US) / LIMIT.burst);
  }
  return { atOnce, inAMinute };
}

/** Names as long as the product's. */
const KEY_LENGTH = 30;

async function measureBytes(redis: Redis, limiter: Limiter): Promise<Compared['bytes']> {
  const bucket = 'b'.repeat(KEY_LENGTH - limiter.keyOf('').length);
  const bytesNow = async () => Number(await redis.memory('USAGE', limiter.keyOf(bucket)));
  await limiter.take(bucket, LIMIT);
  const afterOne = await bytesNow();
  for (let call = 1; call < LIMIT.burst; call++) await limiter.take(bucket, LIMIT);
  return [afterOne, await bytesNow()];
}

const KEYS = 200;
const PASSES = 5;
const outcomes = {
  served: { burst: 1_000_000, intervalUs: 1 },
  refused: { burst: 2, intervalUs: 3_600_000_000 }, // An hour.
};

/** By `INFO commandstats`, one script per command; arms in turn. */
async function measureTimes(url: string, compared: readonly Rung[], rounds: number) {
  const redis = new Redis(url, { enableAutoPipelining: true });
  const names = Array.from({ length: KEYS }, (_, index) => `abcdefghijklmnopqr${String(index).padStart(4, '0')}`);
  const samples = new Map(compared.map(({ name }) => [name, { served: [] as number[], refused: [] as number[] }]));
  for (const [outcome, { burst, intervalUs }] of Object.entries(outcomes) as ['served' | 'refused', typeof LIMIT][]) {
    const rate = { capacity: burst, refillTokens: 1000, refillIntervalMs: intervalUs };
    const plain = { suppression: null, shadow: false, onStoreFailure: 'closed' } as const;
    const limit = makeLimit('booking', 'free', { ...rate, ...plain }, 0);
    const calls = new Map<string, (bucket: string) => Promise<unknown>>();
    for (const rung of compared) {
      const sha = String(await redis.script('LOAD', scriptOf(rung)));
      const own = (bucket: string) => redis.evalsha(sha, 1, `limit:{${bucket}}`, burst, intervalUs, 1);
      calls.set(rung.name, rung.name === 'shipped' ? (bucket) => decideTogether(redis, [[{ bucket, limit }]]) : own);
    }
    for (let round = 0; round < rounds; round++) {
      for (const [name, call] of calls) {
        await redis.flushdb();
        for (let warm = 0; warm < 2; warm++) await Promise.all(names.map(call));
        await redis.config('RESETSTAT');
        for (let pass = 0; pass < PASSES; pass++) await Promise.all(names.map(call));
        const stats = /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await redis.info('commandstats'));
        samples.get(name)?.[outcome].push(Number(stats?.[1]) / (KEYS * PASSES));
      }
    }
  }
  redis.disconnect();
  // The fastest round: what a round takes longer is the machine's doing.
  const fastest = (name: string, outcome: 'served' | 'refused') => Math.min(...(samples.get(name)?.[outcome] ?? []));
  const inPartsOfBucket = (name: string, outcome: 'served' | 'refused') =>
    fastest(name, outcome) / fastest('token-bucket', outcome);
  return (name: string): Compared['redis'] => [inPartsOfBucket(name, 'served'), inPartsOfBucket(name, 'refused')];
}
