import type { FastifyRequest } from 'fastify';
import { type ShopWindow, toEvent, toPage } from '../caching/shop-window.ts';
import { violates } from '../db/postgres-failures.ts';
import type { Api, Deps, Viewer } from '../deps.ts';
import { fail } from '../errors.ts';
import { sendAnswer } from '../plugins/public-answers.ts';
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
import { insertTicketTypes, ticketTypesOf } from '../queries/ticket-types.ts';
import {
  checkEventEdits,
  checkOneCurrency,
  checkSaleWindow,
  eventEditsOf,
  saleStateOf,
  slugFrom,
} from '../rules/event-changes.ts';
import { decodeCursor } from '../rules/page-cursors.ts';

/** Bookings that end together with their event: enough for most events, and a short transaction. */
const ENDED_AT_ONCE = 500;

export function eventRoutes(app: Api, { db }: Deps, shopWindow: ShopWindow) {
  const serve = routeServer(app, { db });
  serve('listEvents', async (request, reply) => {
    const { limit, cursor, search, mine } = request.query;
    if (!mine && cursor === undefined && !editsEvents(request.viewer)) {
      const served = await shopWindow.events({ limit, search });
      if (served) return sendAnswer(request, reply, served);
    }
    const page = { limit, search, after: cursor === undefined ? undefined : decodeCursor(cursor) };
    const rows = mine ? await eventsOfOrganiser(db, viewerOf(request).user.id, page) : await upcomingEvents(db, page);
    return toPage(rows, limit);
  });

  serve('readEvent', async (request, reply) => {
    const { viewer } = request;
    const served = editsEvents(viewer) ? undefined : await shopWindow.event(request.params.event);
    if (served) return sendAnswer(request, reply, served);
    // A session keeps its role from log-in, so any user may be an organiser by now.
    const row = viewer ? await eventByIdOrSlug(db, request.params.event) : undefined;
    if (!row) fail({ kind: 'not-found', what: 'event' });
    if (row.status === 'draft') await ownEvent(viewer && (await withRoleOfNow(db, viewer)), row);
    return toEvent(row);
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
        return toEvent({ ...row, ticketTypes: await ticketTypesOf(transaction, [row.id]) });
      });
    const created = await insert(slug ?? slugFrom(rest.name)).catch((error: unknown) => {
      if (!violates(error, 'events_slug_unique')) throw error;
      if (slug !== undefined) fail({ kind: 'slug-taken' });
      // The client did not choose this slug, so a longer one is fine.
      return insert(`${slugFrom(rest.name)}-${crypto.randomUUID().slice(0, 8)}`);
    });
    await tellOfChange(shopWindow, request, created.id);
    return reply.code(201).header('location', `/v1/events/${created.id}`).send(created);
  });

  serve('changeEvent', async (request) => {
    const changedEvent = await db.transaction(async (transaction) => {
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
      return toEvent({ ...after, ticketTypes: await ticketTypesOf(transaction, [row.id]) });
    });
    await tellOfChange(shopWindow, request, changedEvent.id);
    return changedEvent;
  });
}

/** Tells all tasks of an edit that was committed. If the message is lost, they show the event as it was for a second at most. */
export async function tellOfChange(shopWindow: ShopWindow, { log }: FastifyRequest, eventId: string) {
  await shopWindow.changed(eventId).catch((error: unknown) => {
    log.warn({ err: error, event: eventId }, 'telling the other tasks of a changed event failed');
  });
}

// #region own-writes
/**
 * Returns whether this caller may edit events, and so has to see their own edits at once, whichever task answers. A user
 * who became an organiser after logging in counts as a customer here, and sees an edit as soon as the task hears of it.
 */
const editsEvents = (viewer: Viewer | null) => viewer !== null && viewer.user.role !== 'customer';
// #endregion

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
