import { expect, test } from 'vitest';
import { sumLines, totalMinor } from './prices.ts';

test('duplicate ticket types are summed into one line', () => {
  expect(
    sumLines([
      { ticketTypeId: 'ab', quantity: 2 },
      { ticketTypeId: 'c', quantity: 1 },
      { ticketTypeId: 'ab', quantity: 1 },
    ]),
  ).toEqual([
    { ticketTypeId: 'ab', quantity: 3 },
    { ticketTypeId: 'c', quantity: 1 },
  ]);
});

test('a sum above ten is refused', () => {
  const twice = (quantity: number) => sumLines(Array(2).fill({ ticketTypeId: 'a', quantity }));
  expect(twice(5)).toEqual([{ ticketTypeId: 'a', quantity: 10 }]);
  expect(twice(6)).toBeNull();
});

test('the total is the sum of the lines, and zero without lines', () => {
  const lines = [
    { ticketTypeId: 'a', quantity: 3, unitPriceMinor: 1999 },
    { ticketTypeId: 'b', quantity: 1, unitPriceMinor: 0 },
  ];
  expect(totalMinor(lines)).toBe(5997);
  expect(totalMinor([])).toBe(0);
});
