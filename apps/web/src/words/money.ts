/** `€39.00` from 3900 minor units. A currency with no minor unit, such as the yen, is counted in its own units. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  return format.format(minor / 10 ** digitsOf(currency));
}

/** As `money`, with a word for nothing. */
export const price = (minor: number, currency: string): string => (minor === 0 ? 'Free' : money(minor, currency));

/** `39.00` from 3900 minor units, for a field. */
export const amountText = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** Minor units of an amount as it is typed, `39`, `39.5` or `39,50`; undefined for what is no amount of this currency. */
export function minorFrom(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  return Number(`${whole}${fraction.padEnd(digits, '0')}`);
}

function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}
