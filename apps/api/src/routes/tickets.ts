import { id, ticketWithEvent } from '@minitickets/contract';
import { renderSVG } from 'uqr';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { requireUser, viewerOf } from '../plugins/session.ts';
import { ticketOfUser } from '../queries/tickets.ts';
import { codeKey, signTicketCode } from '../rules/ticket-codes.ts';

const params = z.object({ id });

export function ticketRoutes(app: Api, { config, db }: Deps) {
  const key = codeKey(deriveKey(config.appSecret, 'ticket-code'));

  app.get(
    '/v1/tickets/:id',
    { onRequest: requireUser, schema: { summary: 'One of my tickets', params, response: { 200: ticketWithEvent } } },
    async (request) => {
      const row = await ticketOfUser(db, request.params.id, viewerOf(request).user.id);
      const ticket = row ?? fail({ kind: 'not-found', what: 'ticket' });
      return {
        ...ticket,
        code: signTicketCode(ticket.id, key),
        checkedInAt: ticket.checkedInAt?.toISOString() ?? null,
      };
    },
  );

  app.get(
    '/v1/tickets/:id.svg',
    {
      onRequest: requireUser,
      schema: { summary: 'The QR code of one of my tickets', params, produces: ['image/svg+xml'] },
    },
    async (request, reply) => {
      const ticket = await ticketOfUser(db, request.params.id, viewerOf(request).user.id);
      const { id: ticketId } = ticket ?? fail({ kind: 'not-found', what: 'ticket' });
      // Medium correction, so that scanners read a folded or cracked code; a quiet zone of four modules, as ISO/IEC 18004 demands.
      return reply.type('image/svg+xml').send(renderSVG(signTicketCode(ticketId, key), { ecc: 'M', border: 4 }));
    },
  );
}
