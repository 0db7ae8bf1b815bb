import { isCurrency, minorDigits } from '@minitickets/contract';

/** Formats minor units as money: `€39.00` for 3900. Uses the digits of ISO 4217, because browsers differ from it. */
export function money(minor: number, currency: string): string {
  const digits = digitsOf(currency);
  const format = new Intl.NumberFormat('en-GB', {
    ...{ style: 'currency', currency },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
  return format.format(minor / 10 ** digits);
}

/** Formats a price like `money`, or as "Free" if it is zero. */
export const price = (minor: number, currency: string): string => (minor === 0 ? 'Free' : money(minor, currency));

/** Formats minor units for an input field: `39.00` for 3900. */
export const amountText = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** Parses a typed amount (`39`, `39.5`, `39,50`) into minor units; undefined if it is no amount of this currency. */
export function minorFrom(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  return Number(`${whole}${fraction.padEnd(digits, '0')}`);
}

/** An old event may still use a currency that was withdrawn since. */
const digitsOf = (currency: string) => (isCurrency(currency) ? minorDigits(currency) : 2);
