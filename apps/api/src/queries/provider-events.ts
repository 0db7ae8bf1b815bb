import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

/**
 * Records an event of the provider in the transaction that acts on it, which makes at-least-once delivery take effect exactly
 * once. @returns false if it was recorded before
 */
export async function insertProviderEvent(db: Connection, id: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into provider_events (id) values (${id}) on conflict (id) do nothing`);
  return rowCount === 1;
}

/** Deletes events that are too old for their signatures to be accepted again. @returns how many */
export async function deleteOldProviderEvents(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from provider_events where id in (
      select id from provider_events where received_at < statement_timestamp() - interval '7 days' limit ${limit})`);
  return rowCount ?? 0;
}
