import { z } from 'zod';
import { isCurrency, maxPriceMinor } from './currencies.ts';
import { currency, id, instant, label, pageQuery, priceMinor, searchText } from './fields.ts';
import { isTimeZone } from './time-zones.ts';

export const eventStatus = z.enum(['draft', 'on_sale', 'cancelled']);
export type EventStatus = z.infer<typeof eventStatus>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** `summer-night-2026`: identifies an event in URLs, where an id works too. */
export const slug = z
  .string()
  .min(3)
  .max(80)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'small letters, digits and single hyphens')
  .refine((value) => !UUID.test(value), 'not the form of an id');

/** The name of an IANA time zone or link, kept as sent. */
export const timeZone = z.string().refine(isTimeZone, 'an IANA time zone, as in Europe/Berlin');

export const capacity = z.int().min(1).max(1_000_000);
export const maxPerUser = z.int().min(1).max(10);

export const ticketType = z.object({
  id,
  name: z.string(),
  priceMinor,
  currency,
  capacity: z.int(),
  available: z.int(),
});
export type TicketType = z.infer<typeof ticketType>;

/** `available` of a ticket type is capacity − sold − held, with expired holds counted as free. */
export const event = z.object({
  id,
  slug: z.string(),
  name: z.string(),
  venue: z.string(),
  startsAt: instant,
  timeZone: z.string(),
  salesOpenAt: instant,
  salesCloseAt: instant,
  status: eventStatus,
  maxPerUser: z.int(),
  ticketTypes: z.array(ticketType),
});
export type Event = z.infer<typeof event>;

export const eventsQuery = pageQuery.extend({
  /** In the event's name or venue. */
  search: searchText.optional(),
  /** Only the organiser's own events, including drafts and past ones. */
  mine: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

export const newTicketType = z
  .strictObject({ name: label, priceMinor, currency, capacity })
  .refine((type) => !isCurrency(type.currency) || type.priceMinor <= maxPriceMinor(type.currency), {
    path: ['priceMinor'],
    message: 'above the highest price in this currency',
  });
export const newEvent = z.strictObject({
  slug: slug.optional(),
  name: label,
  venue: label,
  startsAt: instant,
  timeZone,
  salesOpenAt: instant,
  salesCloseAt: instant,
  status: eventStatus.exclude(['cancelled']).default('draft'),
  maxPerUser: maxPerUser.default(10),
  ticketTypes: z.array(newTicketType).max(50).default([]),
});
export const eventChange = z
  .strictObject({
    name: label,
    venue: label,
    startsAt: instant,
    timeZone,
    salesOpenAt: instant,
    salesCloseAt: instant,
    status: eventStatus,
    maxPerUser,
  })
  .partial();
/** The price bound depends on the ticket type's currency, which never changes. */
export const ticketTypeChange = z.strictObject({ name: label, priceMinor, capacity }).partial();
