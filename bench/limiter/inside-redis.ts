import { Redis } from 'ioredis';
import { decideTogether } from '../../apps/api/src/queries/rate-limits-script.ts';
import { makeLimit } from '../../apps/api/src/rules/limit-table.ts';
import { PLAIN } from './arms.ts';
import { median } from './throughput.ts';

const KEYS = 1000;
const PASSES = 10;
const TOGETHER = 50;

const suppression = { strikes: 10_000, firstBanMs: 5000, growth: 2, longestBanMs: 900_000, forgetAfterMs: 1_800_000 };
const rates = {
  served: { capacity: 1_000_000, refillTokens: 1_000_000, refillIntervalMs: 1000 },
  refused: { capacity: 2, refillTokens: 2, refillIntervalMs: 3_600_000 },
};

/** Measures microseconds in Redis per decision by `INFO commandstats`: the plain bucket, ours one per command, and 50 per command. */
export async function measureInsideRedis(url: string, rounds: number) {
  const redis = new Redis(url, { enableAutoPipelining: true });
  const sha = String(await redis.script('LOAD', PLAIN));
  const names = Array.from({ length: KEYS }, (_, index) => `abcdefghijklmnopqr${String(index).padStart(4, '0')}`);
  const results: Record<string, { plain: number; alone: number; together: number }> = {};
  for (const [outcome, rate] of Object.entries(rates)) {
    const limit = makeLimit('booking', 'free', { ...rate, onStoreFailure: 'closed', suppression, shadow: false }, 0);
    const perMs = rate.refillTokens / rate.refillIntervalMs;
    const passes = {
      plain: () => Promise.all(names.map((name) => redis.evalsha(sha, 1, `limit:{${name}}`, rate.capacity, perMs, 1))),
      alone: () => Promise.all(names.map((bucket) => decideTogether(redis, [[{ bucket, limit }]]))),
      together: () =>
        Promise.all(
          chunks(names).map((some) =>
            decideTogether(
              redis,
              some.map((bucket) => [{ bucket, limit }]),
            ),
          ),
        ),
    };
    const samples = { plain: [] as number[], alone: [] as number[], together: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const name of ['plain', 'alone', 'together'] as const) {
        await redis.flushdb();
        for (let warm = 0; warm < 4; warm++) await passes[name]();
        await redis.config('RESETSTAT');
        for (let pass = 0; pass < PASSES; pass++) await passes[name]();
        const stats = /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await redis.info('commandstats'));
        samples[name].push(Number(stats?.[1]) / (KEYS * PASSES));
      }
    }
    const ratios = (name: 'alone' | 'together') => samples[name].map((us, round) => us / (samples.plain[round] ?? us));
    results[outcome] = {
      plain: median(samples.plain),
      alone: median(ratios('alone')),
      together: median(ratios('together')),
    };
  }
  redis.disconnect();
  return results;
}

const chunks = (names: string[]) =>
  Array.from({ length: Math.ceil(names.length / TOGETHER) }, (_, index) =>
    names.slice(index * TOGETHER, (index + 1) * TOGETHER),
  );
