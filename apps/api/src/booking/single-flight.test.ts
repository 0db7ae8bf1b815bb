import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { singleFlight } from './single-flight.ts';

test('the same question in one turn is asked once, another one by itself, and each anew in the next turn', async () => {
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

test('an error is everybody’s who asked in that turn, and not the next one’s', async () => {
  const answers = [() => Promise.reject(new Error('away')), async () => 'back'];
  const ask = singleFlight(() => answers.shift()?.() ?? Promise.reject(new Error('asked once too often')));
  const both = await Promise.allSettled([ask('a'), ask('a')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await nextTurn();
  expect(await ask('a')).toBe('back');
});
