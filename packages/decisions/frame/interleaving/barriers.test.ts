import { expect, test } from 'vitest';
import { barrierOf, gateUntil, until, untilDoneOrStuck } from './barriers.ts';

test('a barrier opens when all participants have arrived, and later arrivals do not wait', async () => {
  const meeting = barrierOf(3);
  const steps: string[] = [];
  const arrive = async (name: string) => {
    steps.push(`${name} arrives`);
    await meeting.arrive();
    steps.push(`${name} leaves`);
  };
  const early = [arrive('first'), arrive('second')];
  await new Promise(setImmediate);
  expect(steps).toEqual(['first arrives', 'second arrives']);
  await Promise.all([...early, arrive('third')]);
  await arrive('fourth');
  expect(steps.slice(0, 3)).toEqual(['first arrives', 'second arrives', 'third arrives']);
  expect(steps.slice(-2)).toEqual(['fourth arrives', 'fourth leaves']);
});

test('a barrier times out with the number of missing participants', async () => {
  await expect(barrierOf(3, { deadlineMs: 5 }).arrive()).rejects.toThrow(
    'barrier timeout: 2 of 3 participants did not arrive',
  );
});

test('until() times out with the condition that it waited for', async () => {
  await expect(until('pigs fly', () => false, { deadlineMs: 5 })).rejects.toThrow('timed out waiting until pigs fly');
});

test('a call without progress is given up, one with progress is not, and a settled one returns at once', async () => {
  const never = new Promise(() => {});
  let looks = 0;
  // Goes on at the first ten looks.
  const progress = () => Math.min(10, looks++);
  await untilDoneOrStuck(never, progress, 20);
  expect(looks).toBeGreaterThan(10);
  const begunAt = performance.now();
  await untilDoneOrStuck(Promise.resolve(), () => 1, 60_000);
  expect(performance.now() - begunAt).toBeLessThan(30_000);
});

test('a gate opens once, for all callers, and stays open', async () => {
  let isSo = false;
  let asked = 0;
  const pass = gateUntil('it is so', () => {
    asked += 1;
    return isSo;
  });
  const waiting = Promise.all([pass(), pass()]);
  isSo = true;
  await waiting;
  const askedSoFar = asked;
  isSo = false;
  await pass();
  expect(asked).toBe(askedSoFar);
});
