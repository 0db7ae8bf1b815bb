import type { TicketType } from '@minitickets/contract';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { ticketTypes } from '../db/schema.ts';
import { placesFree } from './inventory.ts';
import type { Released } from './inventory-gate.ts';

const columns = {
  id: ticketTypes.id,
  eventId: ticketTypes.eventId,
  name: ticketTypes.name,
  priceMinor: ticketTypes.priceMinor,
  currency: ticketTypes.currency,
  capacity: ticketTypes.capacity,
  available: placesFree.as('available'),
};

export type TicketTypeRow = TicketType & { eventId: string };

/** The ticket types of these events, in their organiser's order, with what is free of each at this moment. */
export async function ticketTypesOf(db: Connection, eventIds: string[]): Promise<TicketTypeRow[]> {
  return db
    .select(columns)
    .from(ticketTypes)
    .where(inArray(ticketTypes.eventId, eventIds))
    .orderBy(asc(ticketTypes.position));
}

/** How the places of these events are divided up at this moment. Holds that have ended are counted as free. */
export async function placesOf(db: Connection, eventIds: string[]) {
  const { id, eventId, name, capacity, sold } = ticketTypes;
  const rows = await db
    .select({ id, eventId, name, capacity, sold, free: placesFree.as('free') })
    .from(ticketTypes)
    .where(inArray(eventId, eventIds))
    .orderBy(asc(ticketTypes.position));
  return rows.map((row) => ({ ...row, held: row.capacity - row.sold - row.free }));
}

export async function insertTicketTypes(
  db: Connection,
  eventId: string,
  types: { name: string; priceMinor: number; currency: string; capacity: number }[],
) {
  return db
    .insert(ticketTypes)
    .values(types.map((type) => ({ ...type, eventId })))
    .returning({ id: ticketTypes.id });
}

/**
 * Changes a ticket type. Prices of bookings that exist are their lines' and stay; a higher capacity releases places.
 * @returns undefined if no row was changed: there is none of this id, or its new capacity is below what is sold and held
 */
export async function updateTicketType(
  db: Connection,
  eventId: string,
  ticketTypeId: string,
  change: { name?: string | undefined; priceMinor?: number | undefined; capacity?: number | undefined },
): Promise<Released | undefined> {
  const { capacity } = change;
  const fits = capacity === undefined ? undefined : sql`${ticketTypes.held} + ${ticketTypes.sold} <= ${capacity}`;
  const releases = sql`${ticketTypes.releases} + (${ticketTypes.capacity} < ${capacity})::int`;
  const [changed] = await db
    .update(ticketTypes)
    .set({ ...change, ...(capacity !== undefined && { releases }) })
    .where(and(eq(ticketTypes.id, ticketTypeId), eq(ticketTypes.eventId, eventId), fits))
    .returning({ ticketTypeId: ticketTypes.id, releases: ticketTypes.releases });
  return changed;
}
