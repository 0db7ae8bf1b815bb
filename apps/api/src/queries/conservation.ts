import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

/** One conservation law (an invariant of the database), and the query that returns the rows that break it. */
export type ConservationLaw = { law: string; offenders: string };

/** The invariants that hold whenever no transaction is running. They are computed from PostgreSQL alone. */
export const conservationLaws: ConservationLaw[] = [
  {
    law: 'capacity = free + held + sold, as counted from the bookings',
    offenders: `
      select id as ticket_type, name, capacity, ticket_types.held, ticket_types.sold,
        coalesce(places.held, 0) as held_places, coalesce(places.sold, 0) as sold_places
      from ticket_types left join (
        select ticket_type_id, sum(quantity) filter (where status = 'held') as held,
          sum(quantity) filter (where status = 'confirmed') as sold
        from booking_lines join bookings on bookings.id = booking_id group by ticket_type_id
      ) places on ticket_type_id = id
      where ticket_types.held <> coalesce(places.held, 0) or ticket_types.sold <> coalesce(places.sold, 0)
        or ticket_types.held + ticket_types.sold > capacity`,
  },
  {
    law: 'no booking without its lines, which add up to its places and its total',
    offenders: `
      select bookings.id as booking, status, bookings.places, total_minor, lines.places as line_places, lines.total as line_total
      from bookings, lateral (
        select coalesce(sum(quantity), 0) as places, coalesce(sum(quantity * unit_price_minor), 0) as total
        from booking_lines where booking_id = bookings.id
      ) lines
      where lines.places <> bookings.places or lines.total <> total_minor`,
  },
  {
    law: 'no line without a booking, or of another event’s ticket type; no booking without an event',
    offenders: `
      select booking_id as booking, ticket_type_id as ticket_type
      from booking_lines left join bookings on bookings.id = booking_id left join ticket_types on ticket_types.id = ticket_type_id
      where bookings.id is null or ticket_types.event_id is distinct from bookings.event_id
      union all
      select bookings.id, null from bookings left join events on events.id = event_id where events.id is null`,
  },
  {
    law: 'a confirmed booking has a ticket for each place, every other booking has none',
    offenders: `
      select bookings.id as booking, status, ticket_type_id as ticket_type, quantity, given.tickets
      from bookings join booking_lines on booking_id = bookings.id, lateral (
        select count(*) as tickets from tickets
        where tickets.booking_id = bookings.id and tickets.ticket_type_id = booking_lines.ticket_type_id
      ) given
      where given.tickets <> case status when 'confirmed' then quantity else 0 end
      union all
      select tickets.booking_id, null, ticket_type_id, 0, 1 from tickets
      where not exists (
        select from booking_lines
        where booking_lines.booking_id = tickets.booking_id and booking_lines.ticket_type_id = tickets.ticket_type_id)`,
  },
  {
    law: 'money is kept if and only if tickets are given, and exactly the total',
    offenders: `
      select bookings.id as booking, status, total_minor, kept.amount as kept_minor
      from bookings, lateral (
        select sum(amount_minor) as amount from payments where booking_id = bookings.id and status = 'charged'
      ) kept
      where kept.amount is distinct from case status when 'confirmed' then total_minor end`,
  },
  {
    law: 'charged = kept + refunded: the ledger has an entry for all that moved, and no other',
    offenders: `
      select payments.id as payment, status, amount_minor, moved.charged, moved.refunded
      from payments, lateral (
        select sum(amount_minor) filter (where kind = 'charge') as charged,
          sum(amount_minor) filter (where kind = 'refund') as refunded
        from ledger_entries where payment_id = payments.id
      ) moved
      where moved.charged is distinct from case when status in ('charged', 'refund_due', 'refunded') then amount_minor end
        or moved.refunded is distinct from case when status = 'refunded' then amount_minor end`,
  },
  {
    law: 'the provider’s books say the same',
    offenders: `
      select coalesce(payments.id, charges.reference) as payment, payments.status, charges.status as provider_says,
        payments.amount_minor, charges.amount_minor as provider_amount
      from payments full join sandbox.charges on charges.reference = payments.id
      where payments.id is null
        or charges.amount_minor <> payments.amount_minor or charges.currency <> payments.currency
        or payments.amount_minor > 0 and case payments.status
          when 'charged' then charges.status is distinct from 'accepted'
          when 'refunded' then charges.status is distinct from 'refunded'
          when 'declined' then charges.status in ('accepted', 'refunded')
          else false
        end`,
  },
  {
    law: 'no payment is left unsettled for more than five minutes',
    offenders: `
      select id as payment, booking_id as booking, status, created_at from payments
      where status in ('pending', 'refund_due') and created_at < now() - interval '5 minutes'
        and changed_at < now() - interval '5 minutes'`,
  },
  {
    law: 'what is remembered under an idempotency key exists',
    offenders: `
      select idempotency_records.user_id, key, booking_id as booking
      from idempotency_records left join bookings on bookings.id = booking_id
      where booking_id is not null and bookings.user_id is distinct from idempotency_records.user_id`,
  },
];

/** The advisory lock of audits. The number is arbitrary. */
const AUDIT_LOCK = 7_021_970;

/** Takes the audit lock until the transaction ends. @returns false if another audit is running */
export async function tryAuditLock(db: Connection): Promise<boolean> {
  const { rows } = await db.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${AUDIT_LOCK}) as locked`,
  );
  return rows[0]?.locked === true;
}

/** Sets `statement_timeout` for the rest of this transaction. */
export async function limitStatements(db: Connection, ms: number) {
  await db.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}

/** Returns the first rows that break a law. */
export async function offendersOf(db: Connection, { offenders }: ConservationLaw, limit: number) {
  const { rows } = await db.execute(sql`select * from (${sql.raw(offenders)}) offenders limit ${limit}`);
  return rows;
}
