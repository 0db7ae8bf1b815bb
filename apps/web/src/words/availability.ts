import type { Event, TicketType } from '@minitickets/contract';

export type Availability =
  | { kind: 'cancelled' | 'draft' | 'sales_closed' | 'sold_out' | 'available' | 'nothing_on_offer' }
  | { kind: 'few_left'; tickets: number }
  | { kind: 'sales_not_open'; opensAtMs: number };

/** "Only N left" is shown from this many tickets down, and never above a tenth of the capacity. */
const maxFewTickets = 20;

/** Returns the state of an event's sale at an instant of the server's clock. */
export function availabilityOf(event: Event, nowMs: number): Availability {
  if (event.status === 'cancelled') return { kind: 'cancelled' };
  if (event.status === 'draft') return { kind: 'draft' };
  if (nowMs >= Date.parse(saleEndOf(event))) return { kind: 'sales_closed' };
  const opensAtMs = Date.parse(event.salesOpenAt);
  if (nowMs < opensAtMs) return { kind: 'sales_not_open', opensAtMs };
  if (event.ticketTypes.length === 0) return { kind: 'nothing_on_offer' };
  return ticketsLeft({
    available: sum(event.ticketTypes.map((type) => type.available)),
    capacity: sum(event.ticketTypes.map((type) => type.capacity)),
  });
}

/** Returns how much is left of one ticket type, or of all ticket types together. */
export function ticketsLeft({ available, capacity }: Pick<TicketType, 'available' | 'capacity'>): Availability {
  if (available <= 0) return { kind: 'sold_out' };
  const few = available <= Math.min(maxFewTickets, Math.ceil(capacity / 10));
  return few ? { kind: 'few_left', tickets: available } : { kind: 'available' };
}

/** Returns the cheapest ticket type that is still available, or the cheapest of all when every one is sold out. */
export function cheapest(types: readonly TicketType[]): TicketType | undefined {
  const open = types.filter((type) => type.available > 0);
  const candidates = open.length > 0 ? open : types;
  return candidates.reduce<TicketType | undefined>(
    (best, type) => (best === undefined || type.priceMinor < best.priceMinor ? type : best),
    undefined,
  );
}

/** Returns when the sale ends: at `salesCloseAt`, or when the event starts if that is earlier. */
export function saleEndOf({ salesCloseAt, startsAt }: Pick<Event, 'salesCloseAt' | 'startsAt'>) {
  return Date.parse(startsAt) < Date.parse(salesCloseAt) ? startsAt : salesCloseAt;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
