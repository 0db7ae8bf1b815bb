import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

export type LatePayment = { id: string; status: 'pending' | 'refund_due'; amountMinor: number };

/**
 * Takes payments that are overdue: pending ones after 10 s, when no charge can still be in flight, and refunds after 2 s.
 * Taking them restarts that period, so that only one task asks the provider about each.
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
