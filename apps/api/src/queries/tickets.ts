import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { bookings, events, tickets, ticketTypes, users } from '../db/schema.ts';
import type { PageCursor } from '../rules/page-cursors.ts';
import { containsWords } from './search.ts';

/** What a ticket admits to, and when it was checked in. */
const admission = {
  ticketTypeId: tickets.ticketTypeId,
  ticketTypeName: ticketTypes.name,
  eventId: events.id,
  checkedInAt: tickets.checkedInAt,
};

/** Returns one ticket of this user. Another user's ticket is reported as missing. */
export async function ticketOfUser(db: Connection, id: string, userId: string) {
  const [row] = await db
    .select({ ...admission, id: tickets.id, bookingId: tickets.bookingId, eventName: events.name })
    .from(tickets)
    .innerJoin(bookings, eq(bookings.id, tickets.bookingId))
    .innerJoin(events, eq(events.id, bookings.eventId))
    .innerJoin(ticketTypes, eq(ticketTypes.id, tickets.ticketTypeId))
    .where(and(eq(tickets.id, id), eq(bookings.userId, userId)));
  return row;
}

/** Returns any buyer's ticket, for check-in. */
export async function ticketAtDoor(db: Connection, id: string) {
  const [row] = await db
    .select({ ...admission, holderName: users.name, organiserId: events.organiserId, eventStatus: events.status })
    .from(tickets)
    .innerJoin(bookings, eq(bookings.id, tickets.bookingId))
    .innerJoin(users, eq(users.id, bookings.userId))
    .innerJoin(ticketTypes, eq(ticketTypes.id, tickets.ticketTypeId))
    .innerJoin(events, eq(events.id, ticketTypes.eventId))
    .where(eq(tickets.id, id));
  return row;
}

/**
 * Locks the tickets of a booking until the transaction ends, under its event's lock: a concurrent check-in waits, and an
 * earlier one is visible to the next statement.
 */
export async function lockTicketsOfBooking(db: Connection, bookingId: string) {
  await db.execute(sql`select from tickets where booking_id = ${bookingId} order by id for update`);
}

/**
 * Admits a ticket. Of two concurrent check-ins the second waits for the first one's row lock and then finds the ticket used;
 * after a concurrent cancellation (`lockTicketsOfBooking`) it finds none.
 * @returns when it was admitted; undefined if it was admitted before or no longer exists
 */
export async function admitTicket(db: Connection, id: string, organiserId: string): Promise<Date | undefined> {
  const [row] = await db
    .update(tickets)
    .set({ checkedInAt: sql`date_trunc('milliseconds', statement_timestamp())`, checkedInBy: organiserId })
    .where(sql`${tickets.id} = ${id} and ${tickets.checkedInAt} is null`)
    .returning({ checkedInAt: tickets.checkedInAt });
  return row?.checkedInAt ?? undefined;
}

/**
 * Returns the tickets of an event with their holders, in order of sale: `limit + 1` rows. A search reads them in that order
 * until the page is full.
 */
export async function ticketsOfEvent(
  db: Connection,
  eventId: string,
  { limit, after, search }: { limit: number; after?: PageCursor | undefined; search?: string | undefined },
) {
  const later = after && sql`(${tickets.createdAt}, ${tickets.id}) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  return db
    .select({
      ticketId: tickets.id,
      bookingId: tickets.bookingId,
      holderName: users.name,
      holderEmail: users.email,
      ticketTypeName: ticketTypes.name,
      createdAt: tickets.createdAt,
      checkedInAt: tickets.checkedInAt,
      checkedInBy: tickets.checkedInBy,
    })
    .from(tickets)
    .innerJoin(ticketTypes, eq(ticketTypes.id, tickets.ticketTypeId))
    .innerJoin(bookings, eq(bookings.id, tickets.bookingId))
    .innerJoin(users, eq(users.id, bookings.userId))
    .where(and(eq(ticketTypes.eventId, eventId), later, containsWords(users.foldedName, search)))
    .orderBy(asc(tickets.createdAt), asc(tickets.id))
    .limit(limit + 1);
}

/** Returns how many tickets an event has, and how many of them were admitted. */
export async function admissionsOfEvent(db: Connection, eventId: string) {
  const [row] = await db
    .select({ total: count(), checkedIn: count(tickets.checkedInAt) })
    .from(tickets)
    .innerJoin(ticketTypes, eq(ticketTypes.id, tickets.ticketTypeId))
    .where(eq(ticketTypes.eventId, eventId));
  return row ?? { total: 0, checkedIn: 0 };
}
