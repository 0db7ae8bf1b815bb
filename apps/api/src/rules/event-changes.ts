import { fail } from '../errors.ts';

/** `Sommernacht: Köln & Bonn` → `sommernacht-koln-bonn`; `event` for a name without a letter or digit that an address can show. */
export function slugFrom(name: string) {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return slug.length >= 3 ? slug : 'event';
}

/** @throws TicketingError not-valid if the sale would close before it opens */
export function checkSaleWindow({ salesOpenAt, salesCloseAt }: { salesOpenAt: Date; salesCloseAt: Date }) {
  if (salesOpenAt >= salesCloseAt)
    fail({ kind: 'not-valid', path: '/salesCloseAt', message: 'later than salesOpenAt' });
}

/** A booking has one total, so an event sells in one currency. @throws TicketingError not-valid */
export function checkOneCurrency(currencies: string[]) {
  if (new Set(currencies).size > 1)
    fail({ kind: 'not-valid', path: '/currency', message: 'one currency for all ticket types of an event' });
}
