/** The largest quantity of one ticket type in a booking. */
const MAX_QUANTITY = 10;

export type Line = { ticketTypeId: string; quantity: number };
export type PricedLine = Line & { unitPriceMinor: number };

/**
 * Returns one line per ticket type, with duplicates summed; null if a sum exceeds the largest quantity.
 * @example sumLines([{A, 2}, {B, 1}, {A, 1}]) → [{A, 3}, {B, 1}]
 */
export function sumLines(lines: readonly Line[]): Line[] | null {
  const sums = new Map<string, number>();
  for (const { ticketTypeId, quantity } of lines) {
    sums.set(ticketTypeId, (sums.get(ticketTypeId) ?? 0) + quantity);
  }
  if ([...sums.values()].some((sum) => sum > MAX_QUANTITY)) return null;
  return [...sums].map(([ticketTypeId, quantity]) => ({ ticketTypeId, quantity }));
}

export function totalMinor(lines: readonly PricedLine[]) {
  return lines.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0);
}
