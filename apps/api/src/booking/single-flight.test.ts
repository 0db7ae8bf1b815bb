import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { singleFlight } from './single-flight.ts';

test('calls with the same key in one event-loop tick share one request, and the next tick sends another', async () => {
  const asked: string[] = [];
  const ask = singleFlight(async (detail: string) => {
    asked.push(detail);
    return asked.length;
  });
  expect(await Promise.all([ask('a', 'a1'), ask('b', 'b1'), ask('a', 'a2')])).toEqual([1, 2, 1]);
  await nextTurn();
  expect(await ask('a', 'a3')).toBe(3);
  expect(asked).toEqual(['a1', 'b1', 'a3']);
});

test('a failed request fails every call that shared it, and no later one', async () => {
  const answers = [() => Promise.reject(new Error('down')), async () => 'back'];
  const ask = singleFlight(() => answers.shift()?.() ?? Promise.reject(new Error('one request too many')));
  const both = await Promise.allSettled([ask('a'), ask('a')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await nextTurn();
  expect(await ask('a')).toBe('back');
});
