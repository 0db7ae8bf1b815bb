import { expect, test } from 'vitest';
import { money, price } from './money.ts';

test.each([
  [3900, 'EUR', '€39.00'],
  [1, 'GBP', '£0.01'],
  [4500, 'CHF', 'CHF 45.00'],
  [3900, 'JPY', 'JP¥3,900'],
  [10_000_000, 'EUR', '€100,000.00'],
])('%i minor units of %s are %s', (minor, currency, words) => {
  expect(money(minor, currency).replace(/\s/g, ' ')).toBe(words);
});

test('nothing to pay has a word', () => {
  expect(price(0, 'EUR')).toBe('Free');
  expect(price(1, 'EUR')).toBe('€0.01');
});
