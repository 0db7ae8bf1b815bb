import { eq, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { type ledgerEntries, payments } from '../db/schema.ts';

export type PaymentRow = typeof payments.$inferSelect;

/** Notes that a booking is about to be charged. At most one attempt of a booking is pending. */
export async function insertPayment(
  db: Connection,
  payment: { bookingId: string; amountMinor: number; currency: string },
): Promise<PaymentRow> {
  const [row] = await db.insert(payments).values(payment).returning();
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** One payment by its id, which is also the provider's reference to it. */
export async function paymentById(db: Connection, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id));
  return row;
}

/** Locks the places of the event that a payment is for. @returns null if there is no such payment */
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

/** Moves a payment on, with the ledger entry of the money that moved. Under the lock of its booking's event. */
export async function updatePayment(
  db: Connection,
  { id, amountMinor }: PaymentRow,
  { status, moved }: { status: PaymentRow['status']; moved?: (typeof ledgerEntries.$inferInsert)['kind'] },
) {
  await db.execute(sql`
    with entry as (
      insert into ledger_entries (payment_id, kind, amount_minor)
      select ${id}::uuid, ${moved ?? null}::text, ${amountMinor}::int where ${moved !== undefined}::boolean
    )
    update payments set status = ${status}, changed_at = statement_timestamp() where id = ${id}`);
}

/** What was charged for a booking has to go back. @returns the payment, if money was kept */
export async function makeRefundDue(db: Connection, bookingId: string): Promise<PaymentRow | undefined> {
  const [row] = await db
    .update(payments)
    .set({ status: 'refund_due', changedAt: sql`statement_timestamp()` })
    .where(sql`${payments.bookingId} = ${bookingId} and ${payments.status} = 'charged'`)
    .returning();
  return row;
}
