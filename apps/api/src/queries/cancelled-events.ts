import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

/** Returns cancelled events that still have held or sold inventory, in no order. */
export async function cancelledEventsWithBookings(db: Connection, limit: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from events
    where status = 'cancelled'
      and exists (select from ticket_types where event_id = events.id and (held > 0 or sold > 0))
    limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Ends up to `limit` live bookings of a cancelled event, under the event's lock: releases holds, voids tickets (checked-in ones
 * too), and makes a refund due for each charge. The late-payments job sends the refunds (transactional outbox).
 *
 * Without an index of confirmed bookings by event, because each paid booking would pay for it and an event is cancelled once.
 * @returns how many bookings were ended; as many as `limit` means that there may be more
 */
export async function endBookingsOfEvent(db: Connection, eventId: string, limit: number): Promise<number> {
  const { rows } = await db.execute<{ ended: number }>(sql`
    with live as (
      select id, status, status = 'held' and hold_expires_at <= statement_timestamp() as is_expired
      from bookings where event_id = ${eventId} and status in ('held', 'confirmed') limit ${limit}
    ), ended as (
      update bookings
      set status = case when is_expired then 'expired'::booking_status else 'cancelled' end,
        ended_at = case when is_expired then hold_expires_at else statement_timestamp() end
      from live where bookings.id = live.id
      returning bookings.id, live.status as was
    ), voided as (
      delete from tickets using ended where booking_id = ended.id
    ), refunds as (
      update payments set status = 'refund_due', changed_at = statement_timestamp()
      from ended where booking_id = ended.id and payments.status = 'charged'
    ), returned as (
      select ticket_type_id, coalesce(sum(quantity) filter (where was = 'held'), 0)::int as held,
        coalesce(sum(quantity) filter (where was = 'confirmed'), 0)::int as sold
      from booking_lines join ended on ended.id = booking_id group by ticket_type_id
    ), inventory as (
      update ticket_types
      set held = ticket_types.held - returned.held, sold = ticket_types.sold - returned.sold, releases = releases + 1
      from returned where ticket_types.id = ticket_type_id
    )
    select count(*)::int as ended from ended`);
  return rows[0]?.ended ?? 0;
}
