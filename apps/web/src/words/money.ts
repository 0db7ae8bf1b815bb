import { isCurrency, minorDigits } from '@minitickets/contract';

/** Writes minor units as people write money: `€39.00` for 3900. With the digits of ISO 4217, which are not always a browser's. */
export function money(minor: number, currency: string): string {
  const digits = digitsOf(currency);
  const format = new Intl.NumberFormat('en-GB', {
    ...{ style: 'currency', currency },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
  return format.format(minor / 10 ** digits);
}

/** As `money`, with a word for a price of zero. */
export const price = (minor: number, currency: string): string => (minor === 0 ? 'Free' : money(minor, currency));

/** Writes minor units for a field: `39.00` for 3900. */
export const amountText = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** Returns the minor units of an amount as it is typed, `39`, `39.5` or `39,50`; undefined for what is no amount of this currency. */
export function minorFrom(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  return Number(`${whole}${fraction.padEnd(digits, '0')}`);
}

/** An event of before may still have a currency that was withdrawn. */
const digitsOf = (currency: string) => (isCurrency(currency) ? minorDigits(currency) : 2);
