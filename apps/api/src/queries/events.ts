import { type EventStatus, foldText, searchWords } from '@minitickets/contract';
import { and, asc, eq, like, type SQL, sql } from 'drizzle-orm';
import type { Connection } from '../db/client.ts';
import { events } from '../db/schema.ts';
import type { PageCursor } from '../rules/page-cursors.ts';

export type EventRow = typeof events.$inferSelect;
export type NewEventRow = Omit<typeof events.$inferInsert, 'searchText'>;

type Page = { limit: number; after?: PageCursor | undefined };

/** Coming events that are published, soonest first, one more than asked for: the surplus says that there is a next page. */
export async function comingEvents(db: Connection, page: Page & { search?: string | undefined }) {
  return eventsPage(db, page, and(eq(events.status, 'on_sale'), sql`${events.startsAt} > now()`, named(page.search)));
}

/** All events of an organiser, drafts and past ones too. One more than asked for. */
export async function eventsOfOrganiser(
  db: Connection,
  organiserId: string,
  page: Page & { search?: string | undefined },
) {
  return eventsPage(db, page, and(eq(events.organiserId, organiserId), named(page.search)));
}

/** Coming events and those that began within the last day, whatever their state, soonest first. One more than asked for. */
export async function currentEvents(db: Connection, page: Page) {
  return eventsPage(db, page, sql`${events.startsAt} > now() - interval '1 day'`);
}

/** One event by its id or its slug. */
export async function eventByIdOrSlug(db: Connection, idOrSlug: string): Promise<EventRow | undefined> {
  const [row] = await db.select().from(events).where(addressedBy(idOrSlug));
  return row;
}

/** One event, locked against other changes until the transaction ends. Bookings, which only read it, go on. */
export async function lockEvent(db: Connection, idOrSlug: string): Promise<EventRow | undefined> {
  const [row] = await db.select().from(events).where(addressedBy(idOrSlug)).for('no key update');
  return row;
}

/** Adds an event, with the text by which searches find it. */
export async function insertEvent(db: Connection, event: NewEventRow): Promise<EventRow> {
  const [row] = await db
    .insert(events)
    .values({ ...event, searchText: searchTextOf(event) })
    .returning();
  if (!row) throw new Error('an insert returned no row');
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
  if (!row) throw new Error('a locked event is gone');
  return row;
}

type EventFields = Pick<
  EventRow,
  'name' | 'venue' | 'startsAt' | 'timeZone' | 'salesOpenAt' | 'salesCloseAt' | 'maxPerUser'
> & { status: EventStatus };

async function eventsPage(db: Connection, { limit, after }: Page, condition: SQL | undefined) {
  const later = after && sql`(${events.startsAt}, ${events.id}) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  return db
    .select()
    .from(events)
    .where(and(condition, later))
    .orderBy(asc(events.startsAt), asc(events.id))
    .limit(limit + 1);
}

/** Returns what searches for an event are compared with. */
export const searchTextOf = ({ name, venue }: Pick<EventRow, 'name' | 'venue'>) => foldText(`${name} ${venue}`);

/**
 * Every word of the search has to be in the name or the venue. The list is walked in its own order by `events_list` and ends
 * with its page, so only a search that finds almost nothing reads all coming events.
 */
function named(search: string | undefined) {
  const words = searchWords(search ?? '');
  return and(...words.map((word) => like(events.searchText, `%${word.replace(/[\\%_]/g, '\\$&')}%`)));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const addressedBy = (idOrSlug: string) => (UUID.test(idOrSlug) ? eq(events.id, idOrSlug) : eq(events.slug, idOrSlug));
