import { z } from 'zod';

/** A v4 UUID, as every id of the API is. */
export const id = z.uuid();

/** An instant as ISO 8601 with an offset, `2026-12-05T18:00:00.000Z`. Of the years 1970 to 2999: no store knows a year 0. */
export const instant = z.iso.datetime({ offset: true }).refine(isNear, 'an instant of the years 1970 to 2999');

function isNear(text: string) {
  const ms = Date.parse(text);
  return ms >= 0 && ms < Date.UTC(3000, 0);
}

/** Money in minor units (cents), so that no sum is ever rounded. The bound keeps every total a safe PostgreSQL integer. */
export const priceMinor = z.int().min(0).max(10_000_000);

/** ISO 4217 alphabetic code. */
export const currency = z.string().regex(/^[A-Z]{3}$/, 'three capital letters, as in EUR');

/** What people read of a thing. No control characters, so that a name cannot break a log line or a label. */
export const label = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(/^[^\p{Cc}]*$/u, 'no control characters');

/** A page of a list. The cursor is opaque: take it from the answer before. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(200).optional(),
});

/** Wraps items as the API's one list shape. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
