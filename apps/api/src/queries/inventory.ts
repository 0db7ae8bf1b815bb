import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import type { Released } from './inventory-gate.ts';

/*
 * The inventory of one event. Every transaction that changes `held`, `sold` or `capacity` holds the event's row lock
 * (docs/locking.md): a decision and the counts it was made from cannot drift apart (no lost update, no write skew).
 */

/**
 * The free tickets of a ticket type at this moment: capacity − sold − held, plus the quantity of expired holds that were not
 * reclaimed yet. A column for queries on `ticket_types`.
 */
export const freeTickets = sql<number>`(
  "ticket_types"."capacity" - "ticket_types"."sold" - "ticket_types"."held" + coalesce((
    select sum(ended_line.quantity)
    from bookings ended join booking_lines ended_line on ended_line.booking_id = ended.id
    where ended.event_id = "ticket_types"."event_id" and ended.status = 'held'
      and ended.hold_expires_at <= statement_timestamp() and ended_line.ticket_type_id = "ticket_types"."id"
  ), 0))::int`;

/**
 * Expires holds of an event that are past their end and returns their inventory, oldest first. It need not open a gate: a
 * gate never stays closed past the end of its event's next hold.
 * @returns how many it expired; if that equals `limit`, there may be more
 */
export async function reclaimExpiredHolds(db: Connection, eventId: string, limit: number) {
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

/** Returns events with holds that are past their end, unordered. */
export async function eventsWithExpiredHolds(db: Connection, limit: number): Promise<string[]> {
  const { rows } = await db.execute<{ eventId: string }>(sql`
    select event_id as "eventId" from (select distinct event_id from ticket_types where held > 0) holding
    where exists (
      select from bookings where bookings.event_id = holding.event_id and status = 'held'
        and hold_expires_at <= statement_timestamp())
    limit ${limit}`);
  return rows.map(({ eventId }) => eventId);
}

/** Locks an event's inventory until the transaction ends, or returns false at once if another transaction has it. */
export async function tryLockEvent(db: Connection, eventId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`select from events where id = ${eventId} for no key update skip locked`);
  return rows.length === 1;
}

/**
 * Returns the inventory of a cancelled booking, from `held` or from `sold`.
 * @returns the ticket types that were released
 */
export async function returnInventory(db: Connection, bookingId: string, from: 'held' | 'sold'): Promise<Released[]> {
  const count = sql.identifier(from);
  const { rows } = await db.execute<Released>(sql`
    update ticket_types set ${count} = ${count} - line.quantity, releases = releases + 1
    from booking_lines line where line.booking_id = ${bookingId} and line.ticket_type_id = ticket_types.id
    returning ticket_types.id as "ticketTypeId", releases`);
  return rows;
}
