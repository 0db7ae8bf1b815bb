import type { TicketType } from '@minitickets/contract';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { ticketTypes } from '../db/schema.ts';
import { freeTickets } from './inventory.ts';
import type { Released } from './inventory-gate.ts';

const columns = {
  id: ticketTypes.id,
  eventId: ticketTypes.eventId,
  name: ticketTypes.name,
  priceMinor: ticketTypes.priceMinor,
  currency: ticketTypes.currency,
  capacity: ticketTypes.capacity,
  available: freeTickets.as('available'),
};

/**
 * The ticket types of an event in their organiser's order, as JSON. A column for queries on `events`: one statement reads a page
 * of events with their ticket types, instead of one for the page and one for each event (N + 1).
 */
// #region one-query
export const ticketTypesAsJson = sql<TicketType[]>`(
  select coalesce(json_agg(json_build_object(
    'id', "ticket_types"."id", 'name', "ticket_types"."name", 'priceMinor', "ticket_types"."price_minor",
    'currency', "ticket_types"."currency", 'capacity', "ticket_types"."capacity", 'available', ${freeTickets}
  ) order by "ticket_types"."position"), '[]')
  from ticket_types where "ticket_types"."event_id" = "events"."id")`;
// #endregion

export type TicketTypeRow = TicketType & { eventId: string };

/** Returns the ticket types of these events in their organiser's order, each with the tickets that are available now. */
export async function ticketTypesOf(db: Connection, eventIds: string[]): Promise<TicketTypeRow[]> {
  return db
    .select(columns)
    .from(ticketTypes)
    .where(inArray(ticketTypes.eventId, eventIds))
    .orderBy(asc(ticketTypes.position));
}

/** Returns the sold, held and free tickets of these events. Expired holds count as free. */
export async function inventoryOf(db: Connection, eventIds: string[]) {
  const { id, eventId, name, capacity, sold } = ticketTypes;
  const rows = await db
    .select({ id, eventId, name, capacity, sold, free: freeTickets.as('free') })
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
 * Changes a ticket type. Existing bookings keep the prices on their lines; a higher capacity counts as a release.
 * @returns undefined if no row changed: the id does not exist, or the new capacity is below sold + held
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
