import type { Event } from '@minitickets/contract';
import { availabilityOf, saleEndOf } from '../words/availability.ts';
import { eventTime } from '../words/dates.ts';

/** Describes the state of an event to its organiser, at an instant of the server's clock. "On sale" means that tickets can be bought now. */
export function saleWords(event: Event, nowMs: number): string {
  const on = (instant: string) => eventTime(instant, event.timeZone).there;
  switch (availabilityOf(event, nowMs).kind) {
    case 'draft':
      return 'Draft: only you can see it.';
    case 'cancelled':
      return 'Cancelled: tickets are not sold, and existing tickets are invalid.';
    case 'sales_not_open':
      return `Published. Sales open on ${on(event.salesOpenAt)}.`;
    case 'sales_closed':
      return `Published. Sales closed on ${on(saleEndOf(event))}.`;
    case 'nothing_on_offer':
      return 'Published, but it has no ticket types yet.';
    case 'sold_out':
      return `Published, sold out for now. Sales close on ${on(saleEndOf(event))}.`;
    case 'few_left':
    case 'available':
      return `Published, on sale until ${on(saleEndOf(event))}.`;
  }
}
