import { eq, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { sandboxCharges } from '../db/schema.ts';

/** The sandbox provider's books. Each statement also queues the event that the merchant will be told. */

export type SandboxChargeStatus = (typeof sandboxCharges.$inferSelect)['status'];

/** Charges, or finds the charge that this reference has had before. */
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

/** Sends an accepted charge back; one that was sent back before, or never made, is left as it is. */
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
