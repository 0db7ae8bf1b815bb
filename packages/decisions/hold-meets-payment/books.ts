import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';

/** Mismatches between the provider's ledger and the tickets, counted from the tables. */
export type Faults = { moneyWithoutTickets: number; ticketsWithoutMoney: number; soldTwice: number };

/** Returns the faults of each event, in the given order. Tickets of a cancelled event don't count: they admit nobody. */
export async function faultsOf(db: Database, eventIds: readonly string[]): Promise<Faults[]> {
  const { rows } = await db.execute<Faults>(sql`
    select of_bookings.*, of_types.*
    from unnest(${sql.param(eventIds)}::uuid[]) with ordinality as asked (id, nth) join events using (id),
      lateral (
        select sum(greatest(0, charges - given))::int as "moneyWithoutTickets",
          sum(greatest(0, given - charges))::int as "ticketsWithoutMoney"
        from (
          select
            (select count(*) from payments join sandbox.charges on reference = payments.id
              where booking_id = bookings.id and charges.status = 'accepted') as charges,
            (select count(*) from tickets where booking_id = bookings.id and events.status = 'on_sale') as given
          from bookings where event_id = events.id
        ) of_booking
      ) of_bookings,
      lateral (
        select sum(greatest(0, given - capacity))::int as "soldTwice"
        from (
          select capacity,
            (select count(*) from tickets where ticket_type_id = ticket_types.id) +
            (select coalesce(sum(quantity), 0) from booking_lines join bookings on bookings.id = booking_id
              where ticket_type_id = ticket_types.id and bookings.status = 'held'
                and hold_expires_at > statement_timestamp()) as given
          from ticket_types where event_id = events.id
        ) of_type
      ) of_types
    order by nth`);
  return rows;
}
