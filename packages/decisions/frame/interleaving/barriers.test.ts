import { expect, test } from 'vitest';
import { gateUntil, meetingOf, until, untilDoneOrStuck } from './barriers.ts';

test('nobody leaves a meeting before all have come, and who comes later waits for nobody', async () => {
  const meeting = meetingOf(3);
  const told: string[] = [];
  const come = async (name: string) => {
    told.push(`${name} comes`);
    await meeting.arrive();
    told.push(`${name} goes`);
  };
  const early = [come('first'), come('second')];
  await new Promise(setImmediate);
  expect(told).toEqual(['first comes', 'second comes']);
  await Promise.all([...early, come('third')]);
  await come('fourth');
  expect(told.slice(0, 3)).toEqual(['first comes', 'second comes', 'third comes']);
  expect(told.slice(-2)).toEqual(['fourth comes', 'fourth goes']);
});

test('a meeting that does not come about fails, and says who is missing', async () => {
  await expect(meetingOf(3, { deadlineMs: 5 }).arrive()).rejects.toThrow('a meeting of 3 waited in vain for 2 of them');
});

test('what does not become so fails, and says what was waited for', async () => {
  await expect(until('pigs fly', () => false, { deadlineMs: 5 })).rejects.toThrow('waited in vain until pigs fly');
});

test('what gets nowhere is given up, what goes on is not, and what is done is not waited for', async () => {
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

test('a gate opens once, for all, and stays open', async () => {
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
