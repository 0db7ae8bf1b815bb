import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { eventByIdOrSlug } from '../queries/events.ts';
import { admissionsOfEvent, admitTicket, ticketAtDoor, ticketsOfEvent } from '../queries/tickets.ts';
import { maskEmail } from '../rules/masked-emails.ts';
import { decodeCursor, pageFrom } from '../rules/page-cursors.ts';
import { codeKey, readTicketCode } from '../rules/ticket-codes.ts';
import { ownEvent } from './events.ts';

export function checkInRoutes(app: Api, { config, db }: Deps) {
  const serve = routeServer(app, { db });
  // Newest first: it signed most of the codes in use.
  const keys = [config.appSecret, ...config.appSecretsBefore].map((secret) =>
    codeKey(deriveKey(secret, 'ticket-code')),
  );

  serve('checkIn', async (request, reply) => {
    const { id: organiserId } = viewerOf(request).user;
    const ticketId = readTicketCode(request.body.code, keys);
    if (!ticketId) fail({ kind: 'ticket-not-valid', reason: 'This is not a ticket code.' });
    const ticket = await ticketAtDoor(db, ticketId);
    if (!ticket) fail({ kind: 'ticket-not-valid', reason: 'The booking of this ticket was cancelled.' });
    if (ticket.organiserId !== organiserId)
      fail({ kind: 'forbidden', reason: 'This ticket is for another organiser’s event.' });
    if (ticket.eventStatus === 'cancelled') fail({ kind: 'ticket-not-valid', reason: 'The event was cancelled.' });

    const checkedInAt = await admitTicket(db, ticketId, organiserId);
    if (!checkedInAt) {
      const before = (await ticketAtDoor(db, ticketId))?.checkedInAt;
      if (before) fail({ kind: 'already-checked-in', checkedInAt: before });
      fail({ kind: 'ticket-not-valid', reason: 'The booking of this ticket was cancelled.' });
    }
    const { eventId, ticketTypeId, ticketTypeName, holderName } = ticket;
    return reply.code(201).send({
      ticketId,
      eventId,
      ticketTypeId,
      ticketTypeName,
      holderName,
      checkedInAt: checkedInAt.toISOString(),
      checkedInBy: organiserId,
    });
  });

  serve('readDoorList', async (request) => {
    const event = await ownEvent(request.viewer, await eventByIdOrSlug(db, request.params.event));
    const { limit, cursor, search } = request.query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const rows = await ticketsOfEvent(db, event.id, { limit, after, search });
    const { shown, nextCursor } = pageFrom(rows, limit, ({ createdAt, ticketId }) => ({
      at: createdAt,
      id: ticketId,
    }));
    return {
      items: shown.map(({ checkedInAt, holderEmail, ...row }) => ({
        ...row,
        holderEmail: maskEmail(holderEmail),
        checkedInAt: checkedInAt?.toISOString() ?? null,
      })),
      nextCursor,
      ...(await admissionsOfEvent(db, event.id)),
    };
  });
}
