import type { BookingPayment, BookingStatus, EventStatus } from '@minitickets/contract';
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Connection } from '../db/client.ts';
import { bookings, events } from '../db/schema.ts';
import type { BookingState } from '../rules/booking-status.ts';
import type { WantedRoom } from '../rules/hold-decisions.ts';
import type { PageCursor } from '../rules/page-cursors.ts';
import type { PricedLine } from '../rules/prices.ts';
import { pricedLines } from './holds.ts';

const ticketsOfBooking = z.array(
  z.object({ id: z.string(), ticketTypeId: z.string(), checkedInAt: z.string().nullable() }),
);

export type BookingRow = {
  id: string;
  eventId: string;
  status: BookingStatus;
  payment: BookingPayment;
  lines: PricedLine[];
  totalMinor: number;
  currency: string;
  holdExpiresAt: Date;
  createdAt: Date;
  tickets: z.output<typeof ticketsOfBooking>;
};

/** Returns one booking of this user. Another user's booking is reported as missing, so that ids cannot be probed. */
export async function bookingOfUser(db: Connection, id: string, userId: string): Promise<BookingRow | undefined> {
  const [row] = await selectBookings(db, and(eq(bookings.id, id), eq(bookings.userId, userId)));
  return row;
}

/** Returns a user's bookings, newest first: `limit + 1` rows, so that the caller can tell whether there is a next page. */
export async function bookingsOfUser(
  db: Connection,
  userId: string,
  page: { limit: number; after?: PageCursor | undefined },
) {
  const { limit, after } = page;
  const earlier = after && sql`(${bookings.createdAt}, ${bookings.id}) < (${after.at}::timestamptz, ${after.id}::uuid)`;
  return selectBookings(db, and(eq(bookings.userId, userId), earlier)).limit(limit + 1);
}

/** Locks the inventory of a booking's event until the transaction ends. @returns the event's id, if this user owns the booking */
export async function lockEventOfBooking(db: Connection, id: string, userId: string): Promise<string | undefined> {
  const [locked] = await db
    .select({ eventId: events.id })
    .from(events)
    .innerJoin(bookings, eq(bookings.eventId, events.id))
    .where(and(eq(bookings.id, id), eq(bookings.userId, userId)))
    .for('no key update', { of: events });
  return locked?.eventId;
}

/** The state from which a change of a booking is decided; `checkedIn` is true once any of its tickets has been admitted. */
export type BookingForChange = BookingState & { id: string; totalMinor: number; checkedIn: boolean };

/**
 * Returns a booking with PostgreSQL's clock and its event's state; undefined if the booking doesn't exist or belongs to
 * another user.
 */
export async function bookingForChange(
  db: Connection,
  id: string,
  userId?: string,
): Promise<BookingForChange | undefined> {
  const [row] = await db
    .select({
      id: bookings.id,
      status: bookings.status,
      totalMinor: bookings.totalMinor,
      holdExpiresAt: bookings.holdExpiresAt,
      eventStatus: sql<EventStatus>`events.status`,
      eventStartsAt: events.startsAt,
      now: sql`date_trunc('milliseconds', statement_timestamp())`.mapWith(events.startsAt),
      checkedIn: sql<boolean>`exists (select from tickets where booking_id = bookings.id and checked_in_at is not null)`,
    })
    .from(bookings)
    .innerJoin(events, eq(events.id, bookings.eventId))
    .where(and(eq(bookings.id, id), userId === undefined ? undefined : eq(bookings.userId, userId)));
  return row;
}

/** Marks a booking cancelled and deletes its tickets. The caller still has to return its inventory. */
export async function cancelBooking(db: Connection, id: string) {
  await db.execute(sql`
    with removed as (delete from tickets where booking_id = ${id})
    update bookings set status = 'cancelled', ended_at = statement_timestamp() where id = ${id}`);
}

/**
 * Confirms a booking: moves its quantity to `sold` and issues one ticket for each seat. `from` says where the quantity comes
 * from: `held`, or `free` again because the hold had expired; in that case the CHECK on `ticket_types` is the last line of
 * defence.
 */
export async function confirmBooking(db: Connection, id: string, from: 'held' | 'free') {
  await db.execute(sql`
    with confirmed as (
      update bookings set status = 'confirmed', confirmed_at = statement_timestamp(), ended_at = null where id = ${id}
      returning id
    ), lines as (
      select ticket_type_id, quantity from booking_lines where booking_id = ${id}
    ), moved as (
      update ticket_types
      set held = held - case when ${from} = 'held' then quantity else 0 end, sold = sold + quantity
      from lines where ticket_types.id = lines.ticket_type_id
    )
    insert into tickets (booking_id, ticket_type_id, created_at)
    select confirmed.id, lines.ticket_type_id, date_trunc('milliseconds', statement_timestamp()) from confirmed, lines, generate_series(1, lines.quantity)`);
}

const wantedRoom: z.ZodType<WantedRoom> = z.object({
  maxPerUser: z.int(),
  placesBefore: z.int(),
  lines: z.array(z.object({ name: z.string(), quantity: z.int(), free: z.int() })).min(1),
});

/**
 * Returns what taking the places of an expired booking once more is decided from (`whyNoRoom`). Call it under the event's lock,
 * after its expired holds were reclaimed.
 */
export async function roomOfExpiredBooking(db: Connection, id: string): Promise<WantedRoom> {
  const { rows } = await db.execute(sql`
    select max_per_user as "maxPerUser",
      (
        select coalesce(sum(live.places), 0)::int from bookings live
        where live.event_id = bookings.event_id and live.user_id = bookings.user_id
          and live.status in ('held', 'confirmed')
      ) as "placesBefore",
      (
        select json_agg(json_build_object('name', name, 'quantity', quantity, 'free', capacity - sold - held))
        from booking_lines join ticket_types on ticket_types.id = ticket_type_id where booking_id = bookings.id
      ) as lines
    from bookings join events on events.id = event_id where bookings.id = ${id}`);
  return wantedRoom.parse(rows[0]);
}

function selectBookings(db: Connection, condition: SQL | undefined) {
  return db
    .select({
      id: bookings.id,
      eventId: bookings.eventId,
      status: sql<BookingStatus>`
        case when "bookings"."status" = 'held' and "bookings"."hold_expires_at" <= statement_timestamp() then 'expired'
        else "bookings"."status" end`,
      payment: sql<BookingPayment>`coalesce((
        select case status when 'charged' then 'paid' when 'pending' then 'pending' else 'refunded' end
        from payments where booking_id = "bookings"."id" and status <> 'declined'
        order by array_position(array['charged', 'pending', 'refund_due', 'refunded'], status) limit 1), 'unpaid')`,
      totalMinor: bookings.totalMinor,
      currency: bookings.currency,
      holdExpiresAt: bookings.holdExpiresAt,
      createdAt: bookings.createdAt,
      lines: sql`(
        select json_agg(json_build_object(
          'ticketTypeId', ticket_type_id, 'quantity', quantity, 'unitPriceMinor', unit_price_minor) order by position)
        from booking_lines join ticket_types on ticket_types.id = ticket_type_id where booking_id = "bookings"."id")`.mapWith(
        pricedLines.parse,
      ),
      tickets: sql`(
        select coalesce(json_agg(json_build_object(
          'id', tickets.id, 'ticketTypeId', ticket_type_id, 'checkedInAt', checked_in_at) order by position, tickets.id), '[]')
        from tickets join ticket_types on ticket_types.id = ticket_type_id where booking_id = "bookings"."id")`.mapWith(
        ticketsOfBooking.parse,
      ),
    })
    .from(bookings)
    .where(condition)
    .orderBy(desc(bookings.createdAt), desc(bookings.id))
    .$dynamic();
}
