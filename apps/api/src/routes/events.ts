import type { Event } from '@minitickets/contract';
import { violates } from '../db/postgres-failures.ts';
import type { Api, Deps, Viewer } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf, withRoleOfNow } from '../plugins/session.ts';
import { endBookingsOfEvent } from '../queries/cancelled-events.ts';
import {
  type EventRow,
  eventByIdOrSlug,
  eventsOfOrganiser,
  insertEvent,
  lockEvent,
  saleOfEvent,
  upcomingEvents,
  updateEvent,
} from '../queries/events.ts';
import { insertTicketTypes, type TicketTypeRow, ticketTypesOf } from '../queries/ticket-types.ts';
import {
  checkEventEdits,
  checkOneCurrency,
  checkSaleWindow,
  eventEditsOf,
  saleStateOf,
  slugFrom,
} from '../rules/event-changes.ts';
import { decodeCursor, pageFrom } from '../rules/page-cursors.ts';

/** Bookings that end together with their event: enough for most events, and a short transaction. */
const ENDED_AT_ONCE = 500;

export function eventRoutes(app: Api, { db }: Deps) {
  const serve = routeServer(app, { db });
  serve('listEvents', async (request) => {
    const { limit, cursor, search, mine } = request.query;
    const page = { limit, search, after: cursor === undefined ? undefined : decodeCursor(cursor) };
    const rows = mine ? await eventsOfOrganiser(db, viewerOf(request).user.id, page) : await upcomingEvents(db, page);
    const { shown, nextCursor } = pageFrom(rows, limit, ({ startsAt, id }) => ({ at: startsAt, id }));
    const types =
      shown.length > 0
        ? await ticketTypesOf(
            db,
            shown.map(({ id }) => id),
          )
        : [];
    return { items: shown.map((row) => toEvent(row, types)), nextCursor };
  });

  serve('readEvent', async (request) => {
    const row = await eventByIdOrSlug(db, request.params.event);
    if (!row) fail({ kind: 'not-found', what: 'event' });
    if (row.status === 'draft') await ownEvent(request.viewer && (await withRoleOfNow(db, request.viewer)), row);
    return toEvent(row, await ticketTypesOf(db, [row.id]));
  });

  serve('createEvent', async (request, reply) => {
    const { ticketTypes: types, slug, startsAt, salesOpenAt, salesCloseAt, ...rest } = request.body;
    const instants = {
      startsAt: new Date(startsAt),
      salesOpenAt: new Date(salesOpenAt),
      salesCloseAt: new Date(salesCloseAt),
    };
    checkSaleWindow(instants);
    checkOneCurrency(types.map(({ currency }) => currency));
    const { id: organiserId } = viewerOf(request).user;
    const insert = (itsSlug: string) =>
      db.transaction(async (transaction) => {
        const row = await insertEvent(transaction, { ...rest, ...instants, organiserId, slug: itsSlug });
        if (types.length > 0) await insertTicketTypes(transaction, row.id, types);
        return toEvent(row, await ticketTypesOf(transaction, [row.id]));
      });
    const created = await insert(slug ?? slugFrom(rest.name)).catch((error: unknown) => {
      if (!violates(error, 'events_slug_unique')) throw error;
      if (slug !== undefined) fail({ kind: 'slug-taken' });
      // The client did not choose this slug, so a longer one is fine.
      return insert(`${slugFrom(rest.name)}-${crypto.randomUUID().slice(0, 8)}`);
    });
    return reply.code(201).header('location', `/v1/events/${created.id}`).send(created);
  });

  serve('changeEvent', async (request) =>
    db.transaction(async (transaction) => {
      const row = await ownEvent(request.viewer, await lockEvent(transaction, request.params.event));
      const { startsAt, salesOpenAt, salesCloseAt, ...rest } = request.body;
      const changed = {
        ...rest,
        ...(startsAt !== undefined && { startsAt: new Date(startsAt) }),
        ...(salesOpenAt !== undefined && { salesOpenAt: new Date(salesOpenAt) }),
        ...(salesCloseAt !== undefined && { salesCloseAt: new Date(salesCloseAt) }),
      };
      const sale = await saleOfEvent(transaction, row.id);
      const edits = eventEditsOf(row, changed, sale.now);
      checkEventEdits(edits, saleStateOf(row, sale));
      checkSaleWindow({ ...row, ...changed });
      const after = edits.length > 0 ? await updateEvent(transaction, row, changed) : row;
      // The job ends the rest.
      if (edits.includes('cancel')) await endBookingsOfEvent(transaction, row.id, ENDED_AT_ONCE);
      return toEvent(after, await ticketTypesOf(transaction, [row.id]));
    }),
  );
}

/**
 * Returns the event if the viewer may see it as a draft and change it: its organiser or an admin. To anyone else a draft is
 * reported as missing.
 */
export async function ownEvent(viewer: Viewer | null, row: EventRow | undefined) {
  if (!row || !runs(viewer, row)) fail({ kind: 'not-found', what: 'event' });
  return row;
}

function runs(viewer: Viewer | null, { organiserId }: EventRow) {
  return viewer !== null && (viewer.user.id === organiserId || viewer.user.role === 'admin');
}

function toEvent(row: EventRow, types: TicketTypeRow[]): Event {
  return {
    ...row,
    startsAt: row.startsAt.toISOString(),
    salesOpenAt: row.salesOpenAt.toISOString(),
    salesCloseAt: row.salesCloseAt.toISOString(),
    ticketTypes: types.filter(({ eventId }) => eventId === row.id),
  };
}
