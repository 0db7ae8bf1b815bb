import { renderSVG } from 'uqr';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { ticketOfUser } from '../queries/tickets.ts';
import { codeKey, signTicketCode } from '../rules/ticket-codes.ts';

export function ticketRoutes(app: Api, { config, db }: Deps) {
  const serve = routeServer(app, { db });
  const key = codeKey(deriveKey(config.appSecret, 'ticket-code'));

  serve('readTicket', async (request) => {
    const row = await ticketOfUser(db, request.params.id, viewerOf(request).user.id);
    const ticket = row ?? fail({ kind: 'not-found', what: 'ticket' });
    return {
      ...ticket,
      code: signTicketCode(ticket.id, key),
      checkedInAt: ticket.checkedInAt?.toISOString() ?? null,
    };
  });

  serve('readTicketCode', async (request, reply) => {
    const ticket = await ticketOfUser(db, request.params.id, viewerOf(request).user.id);
    const { id: ticketId } = ticket ?? fail({ kind: 'not-found', what: 'ticket' });
    // Medium error correction for folded or cracked codes; a quiet zone of four modules, as ISO/IEC 18004 requires.
    return reply.type('image/svg+xml').send(renderSVG(signTicketCode(ticketId, key), { ecc: 'M', border: 4 }));
  });
}
