import { randomUUID } from 'node:crypto';
import type { Database } from '@minitickets/api/db/client';
import { insertEvent } from '@minitickets/api/queries/events';
import { insertTicketTypes } from '@minitickets/api/queries/ticket-types';
import { insertUser } from '@minitickets/api/queries/users';
import { NEW_ACCOUNT_MS } from '@minitickets/api/rules/limits';
import { sql } from 'drizzle-orm';

const DAY_MS = 24 * 3_600_000;

/** An event on sale with one ticket type, and its potential buyers. */
export type EventOnSale = { eventId: string; ticketTypeId: string; capacity: number; people: string[] };

export async function openEvent(
  db: Database,
  { capacity, people }: { capacity: number; people: number },
): Promise<EventOnSale> {
  const ids = await Promise.all(Array.from({ length: people + 1 }, () => newUser(db)));
  const [organiserId = '', ...buyers] = ids;
  const { id: eventId } = await insertEvent(db, {
    slug: `event-${randomUUID()}`,
    name: 'An event',
    venue: 'Town Hall',
    organiserId,
    startsAt: new Date(Date.now() + 30 * DAY_MS),
    timeZone: 'Europe/Berlin',
    salesOpenAt: new Date(Date.now() - DAY_MS),
    salesCloseAt: new Date(Date.now() + 29 * DAY_MS),
    status: 'on_sale',
  });
  const stalls = { name: 'Stalls', priceMinor: 2500, currency: 'EUR', capacity };
  const [type] = await insertTicketTypes(db, eventId, [stalls]);
  if (!type) throw new Error('an insert returned no row');
  return { eventId, ticketTypeId: type.id, capacity, people: buyers };
}

/** Counts the tickets held or sold from the bookings, not from the counters that the arms maintain. */
export async function ticketsTaken(db: Database, { ticketTypeId }: EventOnSale): Promise<number> {
  const { rows } = await db.execute<{ tickets: number }>(sql`
    select coalesce(sum(quantity), 0)::int as tickets from booking_lines join bookings on bookings.id = booking_id
    where ticket_type_id = ${ticketTypeId} and
      (status = 'confirmed' or status = 'held' and hold_expires_at > statement_timestamp())`);
  return rows[0]?.tickets ?? Number.NaN;
}

/** The account is older than a day, because new accounts of one address share a booking budget. */
async function newUser(db: Database) {
  const createdAt = new Date(Date.now() - 2 * NEW_ACCOUNT_MS);
  const user = { email: `${randomUUID()}@example.test`, name: 'A buyer', passwordHash: 'none', createdAt };
  return (await insertUser(db, user)).id;
}
