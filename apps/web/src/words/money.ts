/** `€39.00` from 3900 minor units. A currency with no minor unit, such as the yen, is counted in its own units. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minor / 10 ** digits);
}

/** As `money`, with a word for nothing. */
export const price = (minor: number, currency: string): string => (minor === 0 ? 'Free' : money(minor, currency));
