import type { PoolClient } from 'pg';
import { failCommit } from '../db/postgres-failures.ts';
import { inOneRoundTrip, type Statement } from '../db/round-trip.ts';
import { LOCK_EVENT } from './holds.ts';

const CONFIRM_IF_CLEAR: Statement = {
  name: 'confirm_if_clear',
  text: `
    with confirmed as (
      update bookings set status = 'confirmed', confirmed_at = now
      from payments, events, date_trunc('milliseconds', statement_timestamp()) as now
      where payments.id = $1 and payments.status = 'pending' and bookings.id = booking_id
        and bookings.status = 'held' and hold_expires_at > now
        and events.id = event_id and events.status = 'on_sale'
      returning bookings.id, amount_minor, now
    ), charged as (
      update payments set status = 'charged', changed_at = now from confirmed where payments.id = $1
    ), entry as (
      insert into ledger_entries (payment_id, kind, amount_minor) select $1, 'charge', amount_minor from confirmed
    ), lines as (
      select confirmed.id, now, ticket_type_id, quantity from confirmed join booking_lines on booking_id = confirmed.id
    ), moved as (
      update ticket_types set held = held - quantity, sold = sold + quantity
      from lines where ticket_types.id = ticket_type_id
    ), given as (
      insert into tickets (booking_id, ticket_type_id, created_at)
      select id, ticket_type_id, now from lines, generate_series(1, quantity)
    )
    select id from confirmed`,
};

/**
 * Fast path: confirms a booking whose charge was accepted, in one transaction and one round trip, if its payment is pending,
 * its hold is running and its event is on sale. Returns false, with nothing written, if the case needs a decision
 * (`paymentGrid`). Without the fast path each payment would hold the event's lock for six round trips.
 */
export async function confirmIfClear(db: PoolClient, eventId: string, paymentId: string): Promise<boolean> {
  const [, confirmed] = await inOneRoundTrip(db, [
    { statement: LOCK_EVENT, values: [eventId] },
    { statement: CONFIRM_IF_CLEAR, values: [paymentId] },
  ]).catch(failCommit);
  return confirmed?.length === 1;
}
