import { type EventStatus, foldText, type TicketType } from '@minitickets/contract';
import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { preparedQuery } from '../db/prepared-queries.ts';
import { events } from '../db/schema.ts';
import type { Sale } from '../rules/event-changes.ts';
import type { PageCursor } from '../rules/page-cursors.ts';
import { patternsOf } from './search.ts';
import { ticketTypesAsJson } from './ticket-types.ts';

export type EventRow = typeof events.$inferSelect;
export type NewEventRow = Omit<typeof events.$inferInsert, 'searchText'>;

/** An event with its ticket types and their free tickets, as of one statement. */
export type EventWithTypes = EventRow & { ticketTypes: TicketType[] };

type Page = { limit: number; after?: PageCursor | undefined };
type SearchPage = Page & { search?: string | undefined };

/**
 * Returns published upcoming events, soonest first: `limit + 1` rows, so that the caller can tell whether there is a next
 * page.
 */
export const upcomingEvents = (db: Connection, page: SearchPage): Promise<EventWithTypes[]> =>
  upcoming(db, { ...rangeOf(page), patterns: patternsOf(page.search) });

/** Returns all events of an organiser, including drafts and past ones: `limit + 1` rows. */
export const eventsOfOrganiser = (db: Connection, organiserId: string, page: SearchPage): Promise<EventWithTypes[]> =>
  ofOrganiser(db, { ...rangeOf(page), patterns: patternsOf(page.search), organiserId });

/** Returns upcoming events and those that started within the last day, in any state, soonest first: `limit + 1` rows. */
export const currentEvents = (db: Connection, page: Page): Promise<EventRow[]> => current(db, rangeOf(page));

/** Returns one event by its id or slug. */
export async function eventByIdOrSlug(db: Connection, idOrSlug: string): Promise<EventWithTypes | undefined> {
  const [row] = UUID.test(idOrSlug) ? await byId(db, { id: idOrSlug }) : await bySlug(db, { slug: idOrSlug });
  return row;
}

/** Returns one event and locks its row against other changes until the transaction ends. Plain reads are not blocked. */
export async function lockEvent(db: Connection, idOrSlug: string): Promise<EventRow | undefined> {
  const [row] = await db.select().from(events).where(addressedBy(idOrSlug)).for('no key update');
  return row;
}

/** Inserts an event together with its search text. */
export async function insertEvent(db: Connection, event: NewEventRow): Promise<EventRow> {
  const [row] = await db
    .insert(events)
    .values({ ...event, searchText: searchTextOf(event) })
    .returning();
  if (!row) throw new Error('INSERT returned no row');
  return row;
}

/** Changes an event that `lockEvent` returned. */
export async function updateEvent(db: Connection, before: EventRow, change: Partial<EventFields>): Promise<EventRow> {
  const searchText = searchTextOf({ ...before, ...change });
  const [row] = await db
    .update(events)
    .set({ ...change, searchText })
    .where(eq(events.id, before.id))
    .returning();
  if (!row) throw new Error('UPDATE of a locked event returned no row');
  return row;
}

/** Returns what the sale of an event has come to; under the event's lock, so that no booking changes it. */
export async function saleOfEvent(db: Connection, eventId: string): Promise<Sale> {
  const [row] = await db
    .select({
      now: sql`date_trunc('milliseconds', statement_timestamp())`.mapWith(events.startsAt),
      hasHolds: sql<boolean>`exists (
        select from bookings
        where event_id = "events"."id" and status = 'held' and hold_expires_at > statement_timestamp())`,
      hasSales: sql<boolean>`exists (select from ticket_types where event_id = "events"."id" and sold > 0)`,
      hasCheckIns: sql<boolean>`exists (
        select from tickets join ticket_types on ticket_types.id = ticket_type_id
        where event_id = "events"."id" and checked_in_at is not null)`,
    })
    .from(events)
    .where(eq(events.id, eventId));
  if (!row) throw new Error('a locked event is gone');
  return row;
}

type EventFields = Pick<
  EventRow,
  'name' | 'venue' | 'startsAt' | 'timeZone' | 'salesOpenAt' | 'salesCloseAt' | 'maxPerUser'
> & { status: EventStatus };

const { placeholder } = sql;
const fields = getTableColumns(events);
const withTypes = { ...fields, ticketTypes: ticketTypesAsJson.as('ticket_types_json') };

const byId = preparedQuery<{ id: string }, EventWithTypes[]>('event_by_id', (db) =>
  db
    .select(withTypes)
    .from(events)
    .where(eq(events.id, placeholder('id'))),
);
const bySlug = preparedQuery<{ slug: string }, EventWithTypes[]>('event_by_slug', (db) =>
  db
    .select(withTypes)
    .from(events)
    .where(eq(events.slug, placeholder('slug'))),
);

type Range = { at: string; id: string; rows: number };
/** From the beginning, a page follows every event. */
const BEGINNING: PageCursor = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
const rangeOf = ({ limit, after = BEGINNING }: Page): Range => ({ ...after, rows: limit + 1 });
const afterCursor = sql`(${events.startsAt}, ${events.id}) > (${placeholder('at')}::timestamptz, ${placeholder('id')}::uuid)`;
const inListOrder = [asc(events.startsAt), asc(events.id)];

/**
 * Matches events whose name or venue contains every word. The scan follows the index `events_list` in list order and stops
 * when the page is full, so only a search with almost no matches reads all upcoming events.
 */
const named = sql`${events.searchText} like all (${placeholder('patterns')}::text[])`;

const upcoming = preparedQuery<Range & { patterns: string[] }, EventWithTypes[]>('upcoming_events', (db) =>
  db
    .select(withTypes)
    .from(events)
    .where(and(eq(events.status, 'on_sale'), sql`${events.startsAt} > now()`, afterCursor, named))
    .orderBy(...inListOrder)
    .limit(placeholder('rows')),
);
const ofOrganiser = preparedQuery<Range & { patterns: string[]; organiserId: string }, EventWithTypes[]>(
  'events_of_organiser',
  (db) =>
    db
      .select(withTypes)
      .from(events)
      .where(and(eq(events.organiserId, placeholder('organiserId')), afterCursor, named))
      .orderBy(...inListOrder)
      .limit(placeholder('rows')),
);
const current = preparedQuery<Range, EventRow[]>('current_events', (db) =>
  db
    .select()
    .from(events)
    .where(and(sql`${events.startsAt} > now() - interval '1 day'`, afterCursor))
    .orderBy(...inListOrder)
    .limit(placeholder('rows')),
);

/** Returns the folded text that searches are matched against. */
export const searchTextOf = ({ name, venue }: Pick<EventRow, 'name' | 'venue'>) => foldText(`${name} ${venue}`);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const addressedBy = (idOrSlug: string) => (UUID.test(idOrSlug) ? eq(events.id, idOrSlug) : eq(events.slug, idOrSlug));
