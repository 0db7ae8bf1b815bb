import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

export type LatePayment = { id: string; status: 'pending' | 'refund_due'; amountMinor: number };

/**
 * Takes payments that nothing has been heard of for a while: pending ones after 10 s, when no charge can still be under way,
 * refunds after 2 s. For as long again they are nobody else's, so that tasks do not all ask the provider the same.
 */
export async function takeLatePayments(db: Connection, limit: number): Promise<LatePayment[]> {
  const { rows } = await db.execute<LatePayment>(sql`
    update payments set changed_at = statement_timestamp()
    where id in (
      select id from payments
      where status in ('pending', 'refund_due')
        and changed_at < statement_timestamp() - case status when 'pending' then interval '10 s' else interval '2 s' end
      order by changed_at limit ${limit} for update skip locked)
    returning id, status, amount_minor as "amountMinor"`);
  return rows;
}
