import { expect, test } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { createDrive } from './drive.ts';
import type { Observation, Outcome, PlaygroundCall } from './observe.ts';

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

test('a stream sends at its rate, whatever the timers do', async () => {
  const drive = createDrive(served);
  drive.startStream(20);
  await pass(5000);
  drive.endStream();
  await pass(1000);
  expect(drive.read().sent).toBeGreaterThanOrEqual(100);
  expect(drive.read().sent).toBeLessThanOrEqual(101);
});

test('what has no answer is bounded, and what is left out is told', async () => {
  const drive = createDrive(() => new Promise<never>(() => undefined));
  drive.startStream(60);
  await pass(3000);
  const { sent, inFlight, leftOut } = drive.read();
  expect([sent, inFlight]).toEqual([64, 64]);
  expect(leftOut).toBeGreaterThan(100);
  drive.endStream();
});

test('each tier and identity is a bucket of its own, and its counts are kept', async () => {
  const sent: PlaygroundCall[] = [];
  const drive = createDrive((call) => {
    sent.push(call);
    return served();
  });
  drive.burst(3);
  drive.use({ tier: 'pro', ...asAddress });
  drive.burst(2);
  await pass(200);
  expect(drive.read().counts.served).toBe(2);
  drive.use({ tier: 'free', ...asAddress });
  expect(drive.read().counts.served).toBe(3);
  expect(sent.map(({ tier }) => tier)).toEqual(['free', 'free', 'free', 'pro', 'pro']);
});

test('a ban is one, however many refusals it has, and the next one is another', async () => {
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

test('an answer that arrives when its ban is over is of that ban', async () => {
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

test('a key that is not known ends the stream', async () => {
  const drive = createDrive(async () => ({ ...answer('unanswered'), status: 401 }));
  drive.startStream(5);
  await pass(500);
  expect(drive.read().streaming).toBe(false);
});

test('the most that one bucket can have served is capacity and refill', async () => {
  const drive = createDrive(served);
  drive.burst(1);
  await pass(5000);
  drive.burst(1);
  await pass(200);
  expect(drive.read().servable).toBe(15);
});

test('what a task decided alone is not counted as the shared bucket’s', async () => {
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

test('each policy has a bucket of its own; another cost spends from the same one', async () => {
  const drive = createDrive(served);
  drive.burst(1);
  drive.use({ tier: 'free', ...asAddress, cost: 3 });
  drive.burst(2);
  await pass(200);
  expect(drive.read().shared).toEqual({ decided: 3, served: 3, tokens: 7 });
  drive.use({ tier: 'free', ...asAddress, whenAway: 'open' });
  expect(drive.read().shared.decided).toBe(0);
});

test('what costs more than the bucket can hold is told apart from what has to wait', async () => {
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
