import { Redis } from 'ioredis';
import { type ArmName, arms } from './arms.ts';
import { median } from './throughput.ts';

const KEYS = 20_000;
const EXPIRY_DEADLINE_MS = 30_000;

/** Measures the memory of an idle identity, by `MEMORY USAGE` and by Redis's total, and what remains after all have expired. */
export async function measureMemory(url: string, name: ArmName) {
  const admin = new Redis(url);
  await admin.flushdb();
  const before = await usedMemory(admin);
  // Full again, and so expired, after five seconds.
  const arm = await arms[name]({
    url,
    autopipelining: true,
    limit: { capacity: 10, refillTokens: 10, refillIntervalMs: 5000 },
  });
  for (let first = 0; first < KEYS; first += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, index) => arm.take(`user:${first + index}`)));
  }
  const keys = await admin.dbsize();
  const during = await usedMemory(admin);
  const sizes: number[] = [];
  for (let sample = 0; sample < 50; sample++) {
    const key = await admin.randomkey();
    const size = key === null ? null : await admin.memory('USAGE', key);
    if (size) sizes.push(Number(size));
  }
  arm.close();
  const deadline = performance.now() + EXPIRY_DEADLINE_MS;
  while ((await admin.dbsize()) > 0) {
    if (performance.now() > deadline) throw new Error(`${name} leaves keys that do not expire`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const after = await usedMemory(admin);
  admin.disconnect();
  return { perKey: median(sizes), perKeyInAll: (during - before) / keys, leftBytes: after - before };
}

async function usedMemory(admin: Redis) {
  await admin.memory('PURGE');
  return Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
}
