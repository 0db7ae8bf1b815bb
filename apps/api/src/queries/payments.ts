import { eq, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { type ledgerEntries, payments } from '../db/schema.ts';

export type PaymentRow = typeof payments.$inferSelect;

export type BegunPayment = Pick<PaymentRow, 'id' | 'amountMinor' | 'currency'> & { eventId: string };

/**
 * Marks a held booking of this user as about to be charged, if it can be. Of two concurrent attempts exactly one starts. It
 * locks the booking's own row, not its event's: only a transaction that confirms or cancels the same booking makes it wait.
 */
export async function beginPayment(
  db: Connection,
  bookingId: string,
  userId: string,
): Promise<BegunPayment | undefined> {
  const { rows } = await db.execute<BegunPayment>(sql`
    with payable as (
      select bookings.id, event_id, total_minor, bookings.currency
      from bookings join events on events.id = event_id
      where bookings.id = ${bookingId} and user_id = ${userId} and bookings.status = 'held'
        and hold_expires_at > statement_timestamp() and events.status = 'on_sale'
      for no key update of bookings
    ), begun as (
      insert into payments (booking_id, amount_minor, currency) select id, total_minor, currency from payable
      on conflict (booking_id) where status = 'pending' do nothing
      returning id, amount_minor, currency
    )
    select begun.id, amount_minor as "amountMinor", begun.currency, event_id as "eventId" from begun, payable`);
  return rows[0];
}

/** Returns a payment by its id, which is also the provider's reference. */
export async function paymentById(db: Connection, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id));
  return row;
}

/** Locks the inventory of the event that a payment is for. @returns null if there is no such payment */
export async function lockEventOfPayment(
  db: Connection,
  id: string,
): Promise<{ eventId: string; bookingId: string } | null> {
  const { rows } = await db.execute<{ eventId: string; bookingId: string }>(sql`
    select events.id as "eventId", bookings.id as "bookingId"
    from payments join bookings on bookings.id = booking_id join events on events.id = event_id
    where payments.id = ${id} for no key update of events`);
  return rows[0] ?? null;
}

/** Changes a payment's status and records the money that moved in the ledger. Call it under the lock of its booking's event. */
export async function updatePayment(
  db: Connection,
  { id, amountMinor }: PaymentRow,
  { status, moved }: { status: PaymentRow['status']; moved?: (typeof ledgerEntries.$inferInsert)['kind'] },
) {
  await db.execute(sql`
    with entry as (
      insert into ledger_entries (payment_id, kind, amount_minor)
      select ${id}::uuid, ${moved ?? null}::text, ${amountMinor}::bigint where ${moved !== undefined}::boolean
    )
    update payments set status = ${status}, changed_at = statement_timestamp() where id = ${id}`);
}

/** Marks the charge of a booking for refund. @returns the payment, if money was kept */
export async function makeRefundDue(db: Connection, bookingId: string): Promise<PaymentRow | undefined> {
  const [row] = await db
    .update(payments)
    .set({ status: 'refund_due', changedAt: sql`statement_timestamp()` })
    .where(sql`${payments.bookingId} = ${bookingId} and ${payments.status} = 'charged'`)
    .returning();
  return row;
}
