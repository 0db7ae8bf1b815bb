import { Redis } from 'ioredis';
import { type ArmName, arms } from './arms.ts';

const PER_SECOND = 100;
const CALLERS = 32;

/**
 * Measures how far a limiter of 100 per second exceeds it within one second under the worst arrival pattern: one call, a pause
 * until the window is nearly over, then as many as possible. A bucket of 50 that refills 50 per second promises the same.
 */
export async function measureOverGrant(url: string, name: ArmName) {
  const admin = new Redis(url);
  await admin.flushdb();
  const isWindow = !name.startsWith('MiniTickets') && name !== 'plain bucket';
  const limit = isWindow
    ? { capacity: PER_SECOND, refillTokens: PER_SECOND, refillIntervalMs: 1000 }
    : { capacity: PER_SECOND / 2, refillTokens: PER_SECOND / 2, refillIntervalMs: 1000 };
  const arm = await arms[name]({ url, autopipelining: false, limit });
  const servedAtMs: number[] = [];
  const take = async () => {
    // The time of sending, because a late response does not mean a late decision.
    const sentAtMs = performance.now();
    if (await arm.take('someone')) servedAtMs.push(sentAtMs);
  };
  await take();
  await new Promise((resolve) => setTimeout(resolve, 900));
  const until = performance.now() + 400;
  const caller = async () => {
    while (performance.now() < until) await take();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  arm.close();
  admin.disconnect();
  servedAtMs.sort((a, b) => a - b);
  const within = servedAtMs.map(
    (from, index) => servedAtMs.filter((at, other) => other >= index && at < from + 1000).length,
  );
  return Math.max(...within) - PER_SECOND;
}
