import { type Event, routes, searchWords } from '@minitickets/contract';
import { postgresFailure } from '../db/postgres-failures.ts';
import type { Deps } from '../deps.ts';
import { type EventMessage, publishChange, subscribeToEvents } from '../queries/event-messages.ts';
import { type EventWithTypes, eventByIdOrSlug, upcomingEvents } from '../queries/events.ts';
import { pageFrom } from '../rules/page-cursors.ts';
import { serializerOf } from '../serializers.ts';
import { answerCache, type Loaded } from './answer-cache.ts';

/** How old a public answer may be. A sale that sells out or reopens, and an edit, is heard of sooner. */
export const MAX_AGE_MS = 1_000;
/** How old it may be while PostgreSQL is down. */
export const MAX_OUTAGE_AGE_MS = 60_000;
const PATIENCE_MS = 500;
const COOLDOWN_MS = 250;
/** Some thousand events, and a few searches. */
const MAX_BYTES = 16 * 1024 * 1024;

const writeEvent = serializerOf(routes.readEvent.schema.response[200]);
const writePage = serializerOf(routes.listEvents.schema.response[200]);

export type ShopWindow = ReturnType<typeof openShopWindow>;

/**
 * What one task shows to everybody, in memory: events, and the first page of each list and search. An answer is at most a second
 * old, and older only while PostgreSQL is down. Nothing is decided by it: a booking reads PostgreSQL.
 */
export function openShopWindow({ db, redis }: Pick<Deps, 'db' | 'redis'>, nowMs?: () => number) {
  const cache = answerCache({
    maxAgeMs: MAX_AGE_MS,
    maxErrorAgeMs: MAX_OUTAGE_AGE_MS,
    patienceMs: PATIENCE_MS,
    cooldownMs: COOLDOWN_MS,
    maxBytes: MAX_BYTES,
    nowMs,
    isOutage: (error) => postgresFailure(error) !== null,
  });
  const hear = (message: EventMessage) => cache.drop((tags) => concerns(message, tags));
  // #region hear
  const close = subscribeToEvents(redis, hear);
  // #endregion

  return {
    /** Returns an event by id or slug; undefined if the public may not see it. */
    event: (address: string) =>
      cache.read(`event ${address}`, async () => {
        const row = await eventByIdOrSlug(db, address);
        return row && row.status !== 'draft' ? loaded(writeEvent, toEvent(row), [row]) : undefined;
      }),

    /** Returns the first page of the upcoming events. */
    events: ({ limit, search }: { limit: number; search?: string | undefined }) =>
      cache.read(`events ${limit} ${searchWords(search ?? '').join(' ')}`, async () => {
        const rows = await upcomingEvents(db, { limit, search });
        return loaded(writePage, toPage(rows, limit), rows, ['list']);
      }),

    /** Call it after the commit of an edit: this task forgets what it shows of the event at once, the others when they hear of it. */
    async changed(eventId: string) {
      hear({ kind: 'changed', id: eventId });
      await publishChange(redis, eventId);
    },

    close,
  };
}

function loaded<Value>(
  write: (value: Value) => string,
  value: Value,
  rows: EventWithTypes[],
  tags: string[] = [],
): Loaded {
  const of = rows.flatMap(({ id, ticketTypes }) => [
    `event ${id}`,
    ...ticketTypes.map((type) => `${type.available > 0 ? 'free' : 'full'} ${type.id}`),
  ]);
  return { text: write(value), tags: new Set([...tags, ...of]) };
}

/** An edit may put an event on any list. A gate that closes is news only where tickets are shown as free, and the reverse. */
function concerns({ kind, id }: EventMessage, tags: ReadonlySet<string>) {
  switch (kind) {
    case 'changed':
      return tags.has('list') || tags.has(`event ${id}`);
    case 'closed':
      return tags.has(`free ${id}`);
    case 'opened':
      return tags.has(`full ${id}`);
  }
}

/** Converts an event to its API representation. */
export function toEvent({ startsAt, salesOpenAt, salesCloseAt, ...row }: EventWithTypes): Event {
  return {
    ...row,
    startsAt: startsAt.toISOString(),
    salesOpenAt: salesOpenAt.toISOString(),
    salesCloseAt: salesCloseAt.toISOString(),
  };
}

/** Converts `limit + 1` rows to a page of a list. */
export function toPage(rows: EventWithTypes[], limit: number) {
  const { shown, nextCursor } = pageFrom(rows, limit, ({ startsAt, id }) => ({ at: startsAt, id }));
  return { items: shown.map(toEvent), nextCursor };
}
