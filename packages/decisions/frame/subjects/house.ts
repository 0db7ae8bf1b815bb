import { randomUUID } from 'node:crypto';
import type { Database } from '@minitickets/api/db/client';
import { insertEvent } from '@minitickets/api/queries/events';
import { insertTicketTypes } from '@minitickets/api/queries/ticket-types';
import { insertUser } from '@minitickets/api/queries/users';
import { sql } from 'drizzle-orm';

const DAY_MS = 24 * 3_600_000;

/** An event on sale with one ticket type, and as many people who may buy. */
export type House = { eventId: string; ticketTypeId: string; capacity: number; people: string[] };

export async function openHouse(
  db: Database,
  { capacity, people }: { capacity: number; people: number },
): Promise<House> {
  const ids = await Promise.all(Array.from({ length: people + 1 }, () => newPerson(db)));
  const [organiserId = '', ...buyers] = ids;
  const { id: eventId } = await insertEvent(db, {
    slug: `evening-${randomUUID()}`,
    name: 'An evening',
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

/** Places that are somebody's, counted from the bookings and not from the counter that the arms keep. */
export async function placesTaken(db: Database, { ticketTypeId }: House): Promise<number> {
  const { rows } = await db.execute<{ places: number }>(sql`
    select coalesce(sum(quantity), 0)::int as places from booking_lines join bookings on bookings.id = booking_id
    where ticket_type_id = ${ticketTypeId} and
      (status = 'confirmed' or status = 'held' and hold_expires_at > statement_timestamp())`);
  return rows[0]?.places ?? Number.NaN;
}

async function newPerson(db: Database) {
  const user = { email: `${randomUUID()}@example.test`, name: 'Somebody', passwordHash: 'nobody logs in with this' };
  return (await insertUser(db, user)).id;
}
