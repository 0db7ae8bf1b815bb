import type { Api, Deps } from '../deps.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { currentEvents } from '../queries/events.ts';
import { closedGates } from '../queries/inventory-gate.ts';
import { inventoryOf } from '../queries/ticket-types.ts';
import { decodeCursor, pageFrom } from '../rules/page-cursors.ts';

/** The sold, held and free tickets of each event, and its closed inventory gates. */
export function inventoryRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('listInventory', async (request) => {
    const { limit, cursor } = request.query;
    const rows = await currentEvents(db, { limit, after: cursor === undefined ? undefined : decodeCursor(cursor) });
    const { shown, nextCursor } = pageFrom(rows, limit, ({ startsAt, id }) => ({ at: startsAt, id }));
    const eventIds = shown.map(({ id }) => id);
    const places = eventIds.length > 0 ? await inventoryOf(db, eventIds) : [];
    const gates = await closedGates(redis, places);
    const items = shown.map((event) => ({
      ...event,
      startsAt: event.startsAt.toISOString(),
      salesOpenAt: event.salesOpenAt.toISOString(),
      salesCloseAt: event.salesCloseAt.toISOString(),
      ticketTypes: places
        .filter(({ eventId }) => eventId === event.id)
        .map((type) => ({ ...type, gateClosedUntil: gates.get(type.id)?.toISOString() ?? null })),
    }));
    return { items, nextCursor };
  });
}
