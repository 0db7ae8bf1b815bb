import { Redis } from 'ioredis';
import { type Arm, type ArmName, arms, peers } from './arms.ts';

const KEYS = 5000;
const DECISIONS = 20_000;

export type Setting = { callers: number; keys: 'many' | 'one'; outcome: 'served' | 'refused'; autopipelining: boolean };
/** Decisions per second, and microseconds of CPU per decision: in this process, and in Redis. */
export type Measured = { perSecond: number; nodeUs: number; redisUs: number };

export const settings: Setting[] = [true, false].flatMap((autopipelining) =>
  (['served', 'refused'] as const).flatMap((outcome) =>
    (['many', 'one'] as const).flatMap((keys) =>
      [32, 256].map((callers) => ({ callers, keys, outcome, autopipelining })),
    ),
  ),
);

const serving = { capacity: 1_000_000, refillTokens: 1_000_000, refillIntervalMs: 10_000 };
/** Exhausted at once, and not refilled before the benchmark ends. */
const refusing = { capacity: 2, refillTokens: 2, refillIntervalMs: 3_600_000 };

/** Runs every arm in turn, in a new random order each round, and returns the medians. */
export async function measureThroughput(url: string, setting: Setting, rounds: number) {
  const admin = new Redis(url);
  await admin.flushdb();
  const options = {
    url,
    autopipelining: setting.autopipelining,
    limit: setting.outcome === 'served' ? serving : refusing,
  };
  const built: [ArmName, Arm][] = [];
  for (const name of Object.keys(arms) as ArmName[]) built.push([name, await arms[name](options)]);
  for (const [, arm] of built) await run(admin, arm, setting);
  const samples = new Map<ArmName, Measured[]>(built.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, arm] of shuffled(built)) samples.get(name)?.push(await run(admin, arm, setting));
  }
  for (const [, arm] of built) arm.close();
  admin.disconnect();
  return new Map([...samples].map(([name, measured]) => [name, medians(measured)]));
}

/** Returns an arm's throughput relative to the fastest peer. */
export function againstFastestPeer(measured: Map<ArmName, Measured>, name: ArmName) {
  const fastest = Math.max(...peers.map((peer) => measured.get(peer)?.perSecond ?? 0));
  return (measured.get(name)?.perSecond ?? 0) / fastest;
}

async function run(admin: Redis, arm: Arm, { callers, keys, outcome }: Setting): Promise<Measured> {
  let sent = 0;
  let served = 0;
  const caller = async () => {
    while (sent < DECISIONS) {
      const turn = sent++;
      if (await arm.take(`user:${keys === 'one' ? 1 : (turn * 7919) % KEYS}`)) served++;
    }
  };
  const redisBefore = await redisCpuUs(admin);
  const nodeBefore = process.cpuUsage();
  const begunAt = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - begunAt) / 1000;
  const { user, system } = process.cpuUsage(nodeBefore);
  const redisUs = ((await redisCpuUs(admin)) - redisBefore) / DECISIONS;
  // The speed of a limiter that decides wrongly means nothing.
  if (outcome === 'served' && served !== DECISIONS) throw new Error(`${DECISIONS - served} calls were refused`);
  return { perSecond: DECISIONS / seconds, nodeUs: (user + system) / DECISIONS, redisUs };
}

async function redisCpuUs(admin: Redis) {
  const info = await admin.info('cpu');
  const [system, user] = ['sys', 'user'].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1]),
  );
  return ((system ?? 0) + (user ?? 0)) * 1e6;
}

function medians(samples: Measured[]): Measured {
  const of = (field: keyof Measured) => median(samples.map((sample) => sample[field]));
  return { perSecond: of('perSecond'), nodeUs: of('nodeUs'), redisUs: of('redisUs') };
}

export function median(values: number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export const geometricMean = (values: number[]) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

function shuffled<Item>(items: readonly Item[]) {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
