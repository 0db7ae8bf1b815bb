import type { Connection } from '@minitickets/api/db/client';
import { preparedQuery } from '@minitickets/api/db/prepared-queries';
import { events, ticketTypes } from '@minitickets/api/db/schema';
import { freeTickets } from '@minitickets/api/queries/inventory';
import { asc, eq, sql } from 'drizzle-orm';
import type { PageOfEvents, ReadPage } from './page.ts';

/** Reads a page, and then the ticket types of each of its events: a loop over a lazy relation. */
export const nPlusOne: ReadPage = async (db, rows) => {
  const page: PageOfEvents = [];
  // #region n-plus-one
  for (const event of await events20(db, { rows })) {
    const types = await typesOf(db, { eventIds: [event.id] });
    page.push({ ...event, ticketTypes: types.filter(({ eventId }) => eventId === event.id) });
  }
  // #endregion
  return page;
};

/** Reads a page, and then all of its ticket types: what a data loader or `include` makes of the loop. */
export const twoQueries: ReadPage = async (db, rows) => {
  // #region two-queries
  const found = await events20(db, { rows });
  const types = await typesOf(db, { eventIds: found.map(({ id }) => id) });
  return found.map((event) => ({ ...event, ticketTypes: types.filter(({ eventId }) => eventId === event.id) }));
  // #endregion
};

/** The shipped page, whose ticket types are then read again so that they are fresh. */
export async function withFreshTypes(db: Connection, page: PageOfEvents): Promise<PageOfEvents> {
  const types = await typesOf(db, { eventIds: page.map(({ id }) => id) });
  return page.map((event) => ({ ...event, ticketTypes: types.filter(({ eventId }) => eventId === event.id) }));
}

type Row = PageOfEvents[number];
const events20 = preparedQuery<{ rows: number }, Row[]>('page_of_events', (db) =>
  db
    .select({ id: events.id, name: events.name, ticketTypes: sql<Row['ticketTypes']>`'[]'::json`.as('none') })
    .from(events)
    .where(eq(events.status, 'on_sale'))
    .orderBy(asc(events.startsAt), asc(events.id))
    .limit(sql.placeholder('rows')),
);
const { id, eventId, priceMinor, position } = ticketTypes;
const typesOf = preparedQuery<{ eventIds: string[] }, (Row['ticketTypes'][number] & { eventId: string })[]>(
  'types_of_events',
  (db) =>
    db
      .select({ id, eventId, priceMinor, available: freeTickets.as('available') })
      .from(ticketTypes)
      .where(sql`${eventId} = any(${sql.placeholder('eventIds')}::uuid[])`)
      .orderBy(asc(position)),
);
