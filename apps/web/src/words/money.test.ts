import { expect, test } from 'vitest';
import { amountText, minorFrom, money, price } from './money.ts';

test.each([
  [3900, 'EUR', '€39.00'],
  [1, 'GBP', '£0.01'],
  [4500, 'CHF', 'CHF 45.00'],
  [3900, 'JPY', 'JP¥3,900'],
  [10_000_000, 'EUR', '€100,000.00'],
  [50_000_000, 'IDR', 'IDR 500,000.00'],
  [1500, 'IQD', 'IQD 1.500'],
  [1500, 'KWD', 'KWD 1.500'],
  [1500, 'UGX', 'UGX 1,500'],
  [3900, 'DEM', 'DEM 39.00'],
])('%i minor units of %s are written as %s', (minor, currency, words) => {
  expect(money(minor, currency).replace(/\s/g, ' ')).toBe(words);
});

test('a price of zero is written as "Free"', () => {
  expect(price(0, 'EUR')).toBe('Free');
  expect(price(1, 'EUR')).toBe('€0.01');
});

test('a typed amount is parsed into the minor units of its currency, and anything else is refused', () => {
  expect(minorFrom('39', 'EUR')).toBe(3900);
  expect(minorFrom('39.5', 'EUR')).toBe(3950);
  expect(minorFrom(' 0,29 ', 'EUR')).toBe(29);
  expect(minorFrom('1200', 'JPY')).toBe(1200);
  expect(minorFrom('1.5', 'IQD')).toBe(1500);
  for (const [text, currency] of [
    ['', 'EUR'],
    ['-1', 'EUR'],
    ['1e3', 'EUR'],
    ['39.005', 'EUR'],
    ['12.5', 'JPY'],
  ] as const) {
    expect(minorFrom(text, currency)).toBeUndefined();
  }
  for (const currency of ['EUR', 'JPY', 'IQD']) expect(minorFrom(amountText(3950, currency), currency)).toBe(3950);
});
