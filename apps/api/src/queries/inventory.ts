import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { Released } from './inventory-gate.ts';

/*
 * Places of one event. Whoever changes `held`, `sold` or `capacity` holds the event's row lock (docs/locking.md), so that a
 * decision and the counts it was made from cannot drift apart.
 */

/**
 * What is free of a ticket type at this moment: capacity − sold − held, and the places of holds that have ended but were not
 * given back yet. A column for queries on `ticket_types`.
 */
export const placesFree = sql<number>`(
  "ticket_types"."capacity" - "ticket_types"."sold" - "ticket_types"."held" + coalesce((
    select sum(ended_line.quantity)
    from bookings ended join booking_lines ended_line on ended_line.booking_id = ended.id
    where ended.event_id = "ticket_types"."event_id" and ended.status = 'held'
      and ended.hold_expires_at <= statement_timestamp() and ended_line.ticket_type_id = "ticket_types"."id"
  ), 0))::int`;

/**
 * Ends the holds of an event whose time is over and gives their places back, the oldest first.
 * No gate has to be opened for them: none is closed for longer than until the next hold of its event ends.
 * @returns how many were ended; as many as `limit` means that there may be more
 */
export async function reclaimEndedHolds(db: Connection, eventId: string, limit: number) {
  const { rows } = await db.execute<{ ended: number }>(sql`
    with due as (
      select id from bookings
      where event_id = ${eventId} and status = 'held' and hold_expires_at <= statement_timestamp()
      order by hold_expires_at limit ${limit}
    ), ended as (
      update bookings set status = 'expired', ended_at = hold_expires_at from due where bookings.id = due.id
      returning bookings.id
    ), places as (
      select ticket_type_id, sum(quantity)::int as quantity
      from booking_lines join ended on ended.id = booking_id group by ticket_type_id
    ), returned as (
      update ticket_types set held = held - places.quantity, releases = releases + 1
      from places where ticket_types.id = places.ticket_type_id
    )
    select count(*)::int as ended from ended`);
  return rows[0]?.ended ?? 0;
}

/** Events with holds whose time is over, in no order. */
export async function eventsWithEndedHolds(db: Connection, limit: number): Promise<string[]> {
  const { rows } = await db.execute<{ eventId: string }>(sql`
    select event_id as "eventId" from (select distinct event_id from ticket_types where held > 0) holding
    where exists (
      select from bookings where bookings.event_id = holding.event_id and status = 'held'
        and hold_expires_at <= statement_timestamp())
    limit ${limit}`);
  return rows.map(({ eventId }) => eventId);
}

/** Locks the places of an event until the transaction ends, unless somebody else has. */
export async function tryLockEvent(db: Connection, eventId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`select from events where id = ${eventId} for no key update skip locked`);
  return rows.length === 1;
}

/**
 * Gives back the places of a booking that was cancelled: of the held or of the sold ones.
 * @returns the ticket types that have places again
 */
export async function returnPlaces(db: Connection, bookingId: string, from: 'held' | 'sold'): Promise<Released[]> {
  const count = sql.identifier(from);
  const { rows } = await db.execute<Released>(sql`
    update ticket_types set ${count} = ${count} - line.quantity, releases = releases + 1
    from booking_lines line where line.booking_id = ${bookingId} and line.ticket_type_id = ticket_types.id
    returning ticket_types.id as "ticketTypeId", releases`);
  return rows;
}
