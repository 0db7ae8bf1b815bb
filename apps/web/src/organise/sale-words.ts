import type { Event } from '@minitickets/contract';
import { availabilityOf, saleEndOf } from '../words/availability.ts';
import { eventTime } from '../words/dates.ts';

/** How an event stands at an instant of the server's clock, for who runs it. "On sale" is only what can be bought then. */
export function saleWords(event: Event, nowMs: number): string {
  const on = (instant: string) => eventTime(instant, event.timeZone).there;
  switch (availabilityOf(event, nowMs).kind) {
    case 'draft':
      return 'A draft: only you see it.';
    case 'cancelled':
      return 'Cancelled: nothing is sold, and its tickets admit nobody.';
    case 'sales_not_open':
      return `In the shop. Its sale opens on ${on(event.salesOpenAt)}.`;
    case 'sales_closed':
      return `In the shop. Its sale closed on ${on(saleEndOf(event))}.`;
    case 'nothing_on_offer':
      return 'In the shop, with no places to sell yet.';
    case 'sold_out':
      return `In the shop, sold out for now. Its sale closes on ${on(saleEndOf(event))}.`;
    case 'few_left':
    case 'available':
      return `In the shop, on sale until ${on(saleEndOf(event))}.`;
  }
}
