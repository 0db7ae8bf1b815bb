import { expect, test } from 'vitest';
import { currencyCodes, isCurrency, maxPriceMinor, minorDigits } from './currencies.ts';
import { newTicketType, timeZone } from './events.ts';
import { id, pageQuery } from './fields.ts';
import { eventInventoryQuery } from './operations.ts';
import { playgroundQuery } from './playground.ts';
import { timeZoneNames } from './time-zones.ts';

test('ids are case-insensitive', () => {
  expect(id.parse('5F0C4DD2-8A51-4E0E-9A35-0B4D1C1A7F10')).toBe('5f0c4dd2-8a51-4e0e-9a35-0b4d1c1a7f10');
});

test.each(['0x2', ' 2', '2 ', '1e1', '02', '2.0', '+2', '-2', '', '0b1', '٢', 'Infinity', '0', '101'])(
  'a number in a query is decimal digits within its bounds, so %j is refused',
  (text) => {
    expect(pageQuery.safeParse({ limit: text }).success).toBe(false);
    expect(playgroundQuery.safeParse({ cost: text }).success).toBe(false);
    expect(eventInventoryQuery.safeParse({ limit: text }).success).toBe(false);
  },
);

test('a number in a query is parsed, and its default applies if it is missing', () => {
  expect(pageQuery.parse({ limit: '7' })).toEqual({ limit: 7 });
  expect(pageQuery.parse({})).toEqual({ limit: 20 });
  expect(eventInventoryQuery.safeParse({ limit: '51' }).success).toBe(false);
});

test.each(['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'Etc/UTC', 'UTC', 'GMT', 'US/Pacific'])(
  'the time zone %s is kept as sent',
  (name) => {
    expect(timeZone.parse(name)).toBe(name);
  },
);

test.each(['Mars/Olympus', 'europe/berlin', 'CEST', '+01:00', 'Factory', '', 'Europe/Berlin '])(
  '%j is not an IANA time zone',
  (name) => {
    expect(timeZone.safeParse(name).success).toBe(false);
  },
);

test('every time zone that this runtime lists is an IANA one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !timeZone.safeParse(name).success)).toEqual([]);
  expect(new Set(timeZoneNames).size).toBe(timeZoneNames.length);
});

test.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['IDR', 2],
  ['IQD', 3],
  ['ISK', 0],
  ['UGX', 0],
  ['HUF', 2],
])('%s has the %i digits of ISO 4217, whatever a browser shows', (currency, digits) => {
  expect(minorDigits(currency)).toBe(digits);
});

test.each(['ZZZ', 'DEM', 'XXX', 'XTS', 'XAU', 'CLF', 'eur', 'EURO', '', 'constructor'])(
  '%j is not a currency for prices',
  (currency) => {
    expect(isCurrency(currency)).toBe(false);
    expect(newTicketType.safeParse({ name: 'Lawn', priceMinor: 1, currency, capacity: 1 }).success).toBe(false);
  },
);

test('a price is bounded in its own currency: 500,000 rupiah is valid, and 100,000,001 of any currency is not', () => {
  const priced = (currency: string, units: number) =>
    newTicketType.safeParse({
      ...{ name: 'Lawn', currency, capacity: 1 },
      priceMinor: units * 10 ** minorDigits(currency),
    });
  expect(priced('IDR', 500_000).success).toBe(true);
  for (const currency of currencyCodes) {
    expect(priced(currency, 100_000_000).success).toBe(true);
    expect(priced(currency, 100_000_001).error?.issues).toMatchObject([{ path: ['priceMinor'] }]);
    expect(Number.isSafeInteger(100 * maxPriceMinor(currency))).toBe(true);
  }
});
