import { z } from 'zod';
import { isCurrency } from './currencies.ts';
import { isVisibleText, VISIBLE_TEXT } from './text.ts';

/** A UUID, like every id of the API. Case-insensitive (RFC 9562), and normalized to PostgreSQL's lower case. */
export const id = z.uuid().toLowerCase();

/** An ISO 8601 instant with an offset, `2026-12-05T18:00:00.000Z`, of the years 1970 to 2999: no store knows a year 0. */
export const instant = z.iso.datetime({ offset: true }).refine(isNear, 'an instant of the years 1970 to 2999');

function isNear(text: string) {
  const ms = Date.parse(text);
  return ms >= 0 && ms < Date.UTC(3000, 0);
}

/** A price in minor units, so that no sum is rounded. Each currency has its own bound: `maxPriceMinor`. */
export const priceMinor = z.int().min(0);

/** An ISO 4217 code in which prices are stated today. */
export const currency = z.string().refine(isCurrency, 'a currency of ISO 4217, as in EUR');

/** A visible name of a person, an event, a venue, a ticket type or an API key. In NFC, so that equal names are equal bytes. */
export const label = z.string().trim().normalize('NFC').min(1).max(120).refine(isVisibleText, VISIBLE_TEXT);

/** A whole number in a query string or header, in decimal digits: `0x2`, `1e1` and ` 2` are refused. */
export const wholeNumber = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );

/** A page of a list. The cursor is opaque: take it from the previous page. */
export const pageQuery = z.strictObject({
  limit: wholeNumber(1, 100).default(20),
  cursor: z.string().min(1).max(200).optional(),
});

/** Words that must all occur in what is searched, after `foldText`. */
export const searchText = z
  .string()
  .trim()
  .max(100)
  .refine((text) => !/\p{Cc}/u.test(text), 'words without control characters');

/** Wraps items in the API's list shape. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
