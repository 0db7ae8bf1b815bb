import { expect, test } from 'vitest';
import type { Outcome } from '../drawing/marks.ts';
import { ownClock } from '../testing/own-clock.ts';
import { createDrive } from './drive.ts';
import type { Observation, PlaygroundCall } from './observe.ts';

const { pass } = ownClock();

const answer = (outcome: Outcome, retryAfterMs?: number): Observation => ({
  sentAt: performance.now(),
  receivedAt: performance.now(),
  outcome,
  status: outcome === 'served' ? 200 : 429,
  task: 'task-1',
  bucket: { capacity: 10, refillPerMs: 0.001, exact: false, fullMs: undefined },
  retryAfterMs,
  degraded: undefined,
  refusedBy: undefined,
  problem: undefined,
});

const asAddress = { sentAs: 'address', cost: 1, whenAway: 'local', apiKey: '' } as const;
const served = async () => answer('served');

test('a stream keeps its rate even when timers are late', async () => {
  const drive = createDrive(served);
  drive.startStream(20);
  await pass(5000);
  drive.endStream();
  await pass(1000);
  expect(drive.read().sent).toBeGreaterThanOrEqual(100);
  expect(drive.read().sent).toBeLessThanOrEqual(101);
});

test('requests in flight are bounded, and skipped requests are counted', async () => {
  const drive = createDrive(() => new Promise<never>(() => undefined));
  drive.startStream(60);
  await pass(3000);
  const { sent, inFlight, skipped } = drive.read();
  expect([sent, inFlight]).toEqual([64, 64]);
  expect(skipped).toBeGreaterThan(100);
  drive.endStream();
});

test('each identity has its own bucket, whose counts are kept; another tier is a limit on the same bucket', async () => {
  const sent: PlaygroundCall[] = [];
  const drive = createDrive((call) => {
    sent.push(call);
    return served();
  });
  drive.burst(3);
  drive.use({ tier: 'pro', ...asAddress });
  drive.burst(2);
  await pass(200);
  expect(drive.read().counts.served).toBe(5);
  drive.use({ tier: 'pro', ...asAddress, sentAs: 'account' });
  expect(drive.read().counts.served).toBe(0);
  drive.use({ tier: 'free', ...asAddress });
  expect(drive.read().counts.served).toBe(5);
  expect(sent.map(({ tier }) => tier)).toEqual(['free', 'free', 'free', 'pro', 'pro']);
});

test('a bucket whose limit changes can have granted what the largest of its limits allows', async () => {
  let bucket = { capacity: 10, refillPerMs: 0.001, exact: true, fullMs: 1000 };
  const drive = createDrive(async () => ({ ...answer('served'), bucket }));
  drive.burst(1);
  await pass(200);
  bucket = { capacity: 30, refillPerMs: 0.003, exact: true, fullMs: 1000 };
  drive.burst(1);
  await pass(4800);
  bucket = { capacity: 10, refillPerMs: 0.001, exact: true, fullMs: 1000 };
  drive.burst(1);
  await pass(200);
  expect(drive.read().maxGranted).toBe(45);
});

test('all refusals of one ban count as one ban, and a later ban counts as another', async () => {
  let next: Observation = answer('suppressed', 3000);
  const drive = createDrive(async () => next);
  drive.burst(5);
  await pass(2500);
  next = answer('suppressed', 1000);
  drive.burst(1);
  await pass(1000);
  next = answer('suppressed', 6000);
  drive.burst(2);
  await pass(200);
  expect(drive.read().bans.map(({ ms }) => ms)).toEqual([3000, 6000]);
});

test('a refusal that arrives after its ban ended still belongs to that ban', async () => {
  let delayMs = 0;
  let next = () => answer('suppressed', 3000);
  const drive = createDrive(async () => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return next();
  });
  drive.burst(1);
  await pass(2500);
  delayMs = 700;
  next = () => answer('suppressed', 1000);
  drive.burst(1);
  await pass(1000);
  expect(drive.read().bans.map(({ ms }) => ms)).toEqual([3000]);
});

test('an unknown API key ends the stream', async () => {
  const drive = createDrive(async () => ({ ...answer('unanswered'), status: 401 }));
  drive.startStream(5);
  await pass(500);
  expect(drive.read().streaming).toBe(false);
});

test('one bucket can have granted at most its capacity plus the refill', async () => {
  const drive = createDrive(served);
  drive.burst(1);
  await pass(5000);
  drive.burst(1);
  await pass(200);
  expect(drive.read().maxGranted).toBe(15);
});

test('a decision that a task made without Redis is not counted for the shared bucket', async () => {
  let next: Observation = { ...answer('served'), bucket: undefined, degraded: 'local' };
  const drive = createDrive(async () => next);
  drive.burst(4);
  await pass(200);
  next = answer('served');
  drive.burst(1);
  await pass(200);
  const { counts, shared, perProcess } = drive.read();
  expect([counts.served, shared.served, perProcess.served]).toEqual([5, 1, 1]);
});

test('each policy has its own bucket, and requests of any cost share it', async () => {
  const drive = createDrive(served);
  drive.burst(1);
  drive.use({ tier: 'free', ...asAddress, cost: 3 });
  drive.burst(2);
  await pass(200);
  expect(drive.read().shared).toEqual({ decided: 3, served: 3, tokens: 7 });
  drive.use({ tier: 'free', ...asAddress, whenAway: 'open' });
  expect(drive.read().shared.decided).toBe(0);
});

test('a cost above the capacity is distinguished from a refusal that can be retried', async () => {
  let next = answer('throttled');
  const drive = createDrive(async () => next);
  drive.burst(1);
  await pass(200);
  expect(drive.read()).toMatchObject({ impossible: true, retryAt: undefined });
  next = answer('throttled', 2000);
  drive.burst(1);
  await pass(200);
  expect(drive.read().impossible).toBe(false);
});
