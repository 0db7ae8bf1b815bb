import { sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';

/** Remembers an event of the provider, in the transaction that acts on it. @returns false if it was taken in before */
export async function insertProviderEvent(db: Connection, id: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into provider_events (id) values (${id}) on conflict (id) do nothing`);
  return rowCount === 1;
}

/** Forgets events whose signatures are far too old to be believed once more. @returns how many */
export async function deleteOldProviderEvents(db: Connection, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from provider_events where id in (
      select id from provider_events where received_at < statement_timestamp() - interval '7 days' limit ${limit})`);
  return rowCount ?? 0;
}
