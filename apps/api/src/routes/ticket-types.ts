import type { ShopWindow } from '../caching/shop-window.ts';
import type { Connection } from '../db/client.ts';
import type { Api, Deps, Viewer } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { type EventRow, lockEvent, saleOfEvent } from '../queries/events.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { insertTicketTypes, ticketTypesOf, updateTicketType } from '../queries/ticket-types.ts';
import { checkEventEdits, checkOneCurrency, checkPrice, saleStateOf } from '../rules/event-changes.ts';
import { ownEvent, tellOfChange } from './events.ts';

const MAX_TYPES = 50;

export function ticketTypeRoutes(app: Api, { db, redis }: Deps, shopWindow: ShopWindow) {
  const serve = routeServer(app, { db });
  serve('addTicketType', async (request, reply) => {
    const added = await db.transaction(async (transaction) => {
      const event = await editableEvent(transaction, request.viewer, request.params.event);
      const others = await ticketTypesOf(transaction, [event.id]);
      if (others.length >= MAX_TYPES)
        fail({ kind: 'change-not-possible', reason: `An event has at most ${MAX_TYPES} ticket types.` });
      checkOneCurrency([request.body.currency, ...others.map(({ currency }) => currency)]);
      const [inserted] = await insertTicketTypes(transaction, event.id, [request.body]);
      return { ...(await ticketTypeOf(transaction, event.id, inserted?.id)), eventId: event.id };
    });
    await tellOfChange(shopWindow, request, added.eventId);
    return reply.code(201).send(added);
  });

  serve('changeTicketType', async (request) => {
    const { changed, eventId, opened } = await db.transaction(async (transaction) => {
      const event = await editableEvent(transaction, request.viewer, request.params.event);
      const { ticketType: id } = request.params;
      const before = await ticketTypeOf(transaction, event.id, id);
      if (Object.keys(request.body).length === 0) return { changed: before, eventId: event.id, opened: null };
      checkPrice(request.body.priceMinor, before.currency);
      const released =
        (await updateTicketType(transaction, event.id, id, request.body)) ??
        fail({
          kind: 'change-not-possible',
          reason: 'The capacity cannot be lower than the tickets already sold and held.',
        });
      const after = await ticketTypeOf(transaction, event.id, id);
      return { changed: after, eventId: event.id, opened: after.capacity > before.capacity ? released : null };
    });
    await tellOfChange(shopWindow, request, eventId);
    if (opened) {
      await openGates(redis, eventId, [opened]).catch((error: unknown) => {
        request.log.warn({ err: error }, 'opening an inventory gate failed');
      });
    }
    return changed;
  });
}

/** Locks an event whose ticket types may change. @throws TicketingError not-found, change-not-possible */
async function editableEvent(db: Connection, viewer: Viewer | null, idOrSlug: string): Promise<EventRow> {
  const event = await ownEvent(viewer, await lockEvent(db, idOrSlug));
  checkEventEdits(['change_types'], saleStateOf(event, await saleOfEvent(db, event.id)));
  return event;
}

async function ticketTypeOf(db: Connection, eventId: string, id: string | undefined) {
  const types = await ticketTypesOf(db, [eventId]);
  return types.find((type) => type.id === id) ?? fail({ kind: 'not-found', what: 'ticket type' });
}
