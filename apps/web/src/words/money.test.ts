import { expect, test } from 'vitest';
import { amountText, minorFrom, money, price } from './money.ts';

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

test('an amount as people type it is whole minor units, and what is none is refused', () => {
  expect(minorFrom('39', 'EUR')).toBe(3900);
  expect(minorFrom('39.5', 'EUR')).toBe(3950);
  expect(minorFrom(' 0,29 ', 'EUR')).toBe(29);
  expect(minorFrom('1200', 'JPY')).toBe(1200);
  for (const [text, currency] of [
    ['', 'EUR'],
    ['-1', 'EUR'],
    ['1e3', 'EUR'],
    ['39.005', 'EUR'],
    ['12.5', 'JPY'],
  ] as const) {
    expect(minorFrom(text, currency)).toBeUndefined();
  }
  expect(minorFrom(amountText(3950, 'EUR'), 'EUR')).toBe(3950);
});
