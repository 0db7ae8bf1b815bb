import { type EventStatus, maxPriceMinor, slug } from '@minitickets/contract';
import anyAscii from 'any-ascii';
import { fail } from '../errors.ts';

/**
 * Returns the slug of a name, transliterated to ASCII: `Straße in Łódź` → `strasse-in-lodz`; `event` if nothing is left of it.
 */
export function slugFrom(name: string) {
  const made = anyAscii(name)
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return slug.safeParse(made).success ? made : 'event';
}

/** @throws TicketingError not-valid if the sale would close before it opens */
export function checkSaleWindow({ salesOpenAt, salesCloseAt }: { salesOpenAt: Date; salesCloseAt: Date }) {
  if (salesOpenAt >= salesCloseAt)
    fail({ kind: 'not-valid', path: '/salesCloseAt', message: 'later than salesOpenAt' });
}

/**
 * A cancellation is final: ticket holders were notified and may already have been refunded.
 * @throws TicketingError change-not-possible
 */
export function checkStaysCancelled(before: EventStatus, after: EventStatus = before) {
  if (before === 'cancelled' && after !== 'cancelled')
    fail({ kind: 'change-not-possible', reason: 'A cancelled event stays cancelled.' });
}

/** Applies the price bound of `newTicketType` to a change, which does not name the currency. @throws TicketingError not-valid */
export function checkPrice(priceMinor: number | undefined, currency: string) {
  if (priceMinor !== undefined && priceMinor > maxPriceMinor(currency))
    fail({ kind: 'not-valid', path: '/priceMinor', message: 'above the highest price in this currency' });
}

/** A booking has one total, so an event sells in one currency. @throws TicketingError not-valid */
export function checkOneCurrency(currencies: string[]) {
  if (new Set(currencies).size > 1)
    fail({ kind: 'not-valid', path: '/currency', message: 'one currency for all ticket types of an event' });
}
