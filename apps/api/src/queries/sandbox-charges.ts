import { eq, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { sandboxCharges, sandboxEvents } from '../db/schema.ts';

/** The sandbox provider's ledger. Each statement also queues the webhook event for the merchant (a transactional outbox). */

export type SandboxChargeStatus = (typeof sandboxCharges.$inferSelect)['status'];

/** Charges, or returns the existing charge of this reference. */
export async function insertSandboxCharge(
  db: Connection,
  charge: { reference: string; amountMinor: number; currency: string; status: 'accepted' | 'declined' },
) {
  const { reference, amountMinor, currency, status } = charge;
  await db.execute(sql`
    with charged as (
      insert into sandbox.charges (reference, amount_minor, currency, status)
      values (${reference}, ${amountMinor}, ${currency}, ${status}) on conflict (reference) do nothing
      returning reference, status
    )
    insert into sandbox.events (type, reference) select 'charge.' || status, reference from charged`);
}

/** Refunds an accepted charge; a charge that was refunded before or never made stays as it is. */
export async function refundSandboxCharge(db: Connection, reference: string) {
  await db.execute(sql`
    with refunded as (
      update sandbox.charges set status = 'refunded' where reference = ${reference} and status = 'accepted'
      returning reference
    )
    insert into sandbox.events (type, reference) select 'charge.refunded', reference from refunded`);
}

export async function sandboxChargeStatus(db: Connection, reference: string): Promise<SandboxChargeStatus | undefined> {
  const [row] = await db
    .select({ status: sandboxCharges.status })
    .from(sandboxCharges)
    .where(eq(sandboxCharges.reference, reference));
  return row?.status;
}

export type SandboxEvent = Pick<typeof sandboxEvents.$inferSelect, 'id' | 'type' | 'reference' | 'createdAt'>;

/**
 * Takes events that are due for delivery and schedules a retry of each with exponential backoff, in case the delivery fails:
 * after 1 s, 2 s, 4 s, up to 5 minutes.
 */
export async function dueSandboxEvents(db: Connection, limit: number): Promise<SandboxEvent[]> {
  return db
    .update(sandboxEvents)
    .set({
      attempts: sql`least(${sandboxEvents.attempts} + 1, 1000)`,
      nextAttemptAt: sql`statement_timestamp() + least(interval '1 s' * 2 ^ least(${sandboxEvents.attempts}, 10), interval '5 min')`,
    })
    .where(
      sql`${sandboxEvents.id} in (
        select id from sandbox.events where delivered_at is null and next_attempt_at <= statement_timestamp()
        order by next_attempt_at limit ${limit} for update skip locked)`,
    )
    .returning({
      id: sandboxEvents.id,
      type: sandboxEvents.type,
      reference: sandboxEvents.reference,
      createdAt: sandboxEvents.createdAt,
    });
}

export async function markSandboxEventDelivered(db: Connection, id: string) {
  await db.update(sandboxEvents).set({ deliveredAt: sql`statement_timestamp()` }).where(eq(sandboxEvents.id, id));
}

/** Deletes events that were delivered more than a day ago. @returns how many */
export async function deleteOldSandboxEvents(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from sandbox.events where id in (
      select id from sandbox.events where delivered_at < statement_timestamp() - interval '1 day' limit ${limit})`);
  return rowCount ?? 0;
}
