import { Redis } from 'ioredis';
import { type Arm, type ArmName, type ArmOptions, arms, flexibleWithMemory, peers } from './arms.ts';
import { median } from './throughput.ts';

const CALLERS = 256;
const REFUSALS = 50_000;
/** Exhausted at once, and not refilled before the benchmark ends. */
const limit = { capacity: 2, refillTokens: 2, refillIntervalMs: 3_600_000 };

/**
 * Measures refusals of one identity that ignores them. Our limiter bans it and refuses from memory; peers ask Redis each time. One
 * peer can block in process memory instead: that arm is shown and excluded from the ratio.
 */
export async function measureBanned(url: string, rounds: number) {
  const admin = new Redis(url);
  await admin.flushdb();
  const options: ArmOptions = { url, autopipelining: true, limit, strikes: 3 };
  const names: ArmName[] = [...peers, 'MiniTickets, takeToken', 'MiniTickets, all of it'];
  const built: [string, Arm][] = [];
  for (const name of names) built.push([name, await arms[name](options)]);
  built.push(['rate-limiter-flexible, block in memory', await flexibleWithMemory(options)]);

  const samples = new Map(built.map(([name]) => [name, { perSecond: [] as number[], commands: [] as number[] }]));
  for (const [, arm] of built) for (let call = 0; call < 20; call++) await arm.take('hammerer');
  for (let round = 0; round < rounds; round++) {
    for (const [name, arm] of built) {
      const commandsBefore = await commandsOf(admin);
      const begunAt = performance.now();
      let asked = 0;
      const caller = async () => {
        while (asked < REFUSALS) {
          asked++;
          if (await arm.take('hammerer')) throw new Error(`${name} served an excess call`);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      samples.get(name)?.perSecond.push((REFUSALS / (performance.now() - begunAt)) * 1000);
      samples.get(name)?.commands.push(((await commandsOf(admin)) - commandsBefore - 1) / (REFUSALS / 1000));
    }
  }
  for (const [, arm] of built) arm.close();
  admin.disconnect();
  const measured = [...samples].map(([name, { perSecond, commands }]) => ({
    name,
    perSecond: median(perSecond),
    commands: median(commands),
  }));
  const fastest = Math.max(
    ...measured.filter(({ name }) => peers.some((peer) => peer === name)).map((one) => one.perSecond),
  );
  return measured.map((one) => ({ ...one, ratio: one.perSecond / fastest }));
}

/** Returns how many commands Redis has processed, this `INFO` included. */
const commandsOf = async (admin: Redis) =>
  Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
