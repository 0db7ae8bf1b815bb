import { createHash } from 'node:crypto';
import { type Booking, headers } from '@minitickets/contract';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { bookingDesk } from '../booking/booking-desk.ts';
import type { HoldOutcome } from '../booking/hold-batches.ts';
import { afterCommit } from '../db/failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { refundPayment } from '../payments/settle-payment.ts';
import { problemFor } from '../plugins/error-mapping.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import {
  type BookingRow,
  bookingForChange,
  bookingOfUser,
  bookingsOfUser,
  cancelBooking,
  lockEventOfBooking,
} from '../queries/bookings.ts';
import { returnInventory } from '../queries/inventory.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { makeRefundDue } from '../queries/payments.ts';
import { lockTicketsOfBooking } from '../queries/tickets.ts';
import { inventoryToReturn } from '../rules/booking-status.ts';
import { decodeCursor, pageFrom } from '../rules/page-cursors.ts';
import { sumLines } from '../rules/prices.ts';
import { type CodeKey, codeKey, signTicketCode } from '../rules/ticket-codes.ts';

/** Dependencies of the booking routes: the payment provider, and the pool for writing bookings. */
export type BookingDeps = { provider: PaymentProvider; writingPool: Pool };

export function bookingRoutes(app: Api, { config, db, redis }: Deps, { provider, writingPool }: BookingDeps) {
  const serve = routeServer(app, { db });
  const key = codeKey(deriveKey(config.appSecret, 'ticket-code'));
  const book = bookingDesk({
    db,
    redis,
    writingPool,
    holdSeconds: config.holdSeconds,
    refusalBody: (failure) => JSON.stringify(problemFor(failure)),
    log: app.log,
  });

  serve('createBooking', async (request, reply) => {
    const { eventId, lines: asked } = request.body;
    const lines =
      sumLines(asked) ?? fail({ kind: 'not-valid', path: '/lines', message: 'at most 10 of a ticket type' });
    const userId = viewerOf(request).user.id;
    const key = request.headers[headers.idempotencyKey];
    const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprintOf(request.body) };
    return sendOutcome(reply, await book(eventId, { userId, lines, idempotency }));
  });

  serve('listBookings', async (request) => {
    const { limit: size, cursor } = request.query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const rows = await bookingsOfUser(db, viewerOf(request).user.id, { limit: size, after });
    const { shown, nextCursor } = pageFrom(rows, size, ({ createdAt, id }) => ({ at: createdAt, id }));
    return { items: shown.map((row) => toBooking(row, key)), nextCursor };
  });

  serve('readBooking', async (request) => {
    const row = await bookingOfUser(db, request.params.id, viewerOf(request).user.id);
    return toBooking(row ?? fail({ kind: 'not-found', what: 'booking' }), key);
  });

  serve('cancelBooking', async (request) => {
    const userId = viewerOf(request).user.id;
    const { id: bookingId } = request.params;
    const cancelled = await db.transaction(async (transaction) => {
      const eventId = await lockEventOfBooking(transaction, bookingId, userId);
      if (!eventId) fail({ kind: 'not-found', what: 'booking' });
      await lockTicketsOfBooking(transaction, bookingId);
      const state = await bookingForChange(transaction, bookingId);
      const from = inventoryToReturn(state ?? fail({ kind: 'not-found', what: 'booking' }));
      if (!from) return null;
      await cancelBooking(transaction, bookingId);
      const released = await returnInventory(transaction, bookingId, from);
      return { eventId, released, refundDue: await makeRefundDue(transaction, bookingId) };
    });
    if (cancelled) {
      // If this message is lost, the gate opens by itself within a second.
      await openGates(redis, cancelled.eventId, cancelled.released).catch((error: unknown) => {
        request.log.warn({ err: error }, 'opening an inventory gate failed');
      });
    }
    if (cancelled?.refundDue) {
      await refundPayment(db, provider, cancelled.refundDue.id).catch((error: unknown) => {
        request.log.warn({ err: error }, 'a refund failed; the late-payments job will retry it');
      });
    }
    const row = await afterCommit(bookingOfUser(db, bookingId, userId));
    return toBooking(row ?? fail({ kind: 'not-found', what: 'booking' }), key);
  });
}

/** Converts a booking to its API representation: tickets carry their signed codes. */
export function toBooking(row: BookingRow, key: CodeKey): Booking {
  return {
    ...row,
    holdExpiresAt: row.holdExpiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    tickets: row.tickets.map(({ id: ticketId, ticketTypeId, checkedInAt }) => ({
      id: ticketId,
      ticketTypeId,
      code: signTicketCode(ticketId, key),
      checkedInAt: checkedInAt && new Date(checkedInAt).toISOString(),
    })),
  };
}

/** Sends the stored bytes unchanged, so that a replay equals the first response. */
function sendOutcome(reply: FastifyReply, { held, body, replayed }: HoldOutcome) {
  if (replayed) reply.header(headers.idempotencyReplayed, 'true');
  const { id, status, retryAfter } = JSON.parse(body);
  if (held) reply.code(201).header('location', `/v1/bookings/${id}`).type('application/json; charset=utf-8');
  else reply.code(status).type('application/problem+json; charset=utf-8');
  if (retryAfter !== undefined) reply.header(headers.retryAfter, retryAfter);
  return reply.serializer((bytes: string) => bytes).send(body);
}

/**
 * Returns a fingerprint that tells a retry from a different request under the same key. The schema has already normalized the
 * body.
 */
function fingerprintOf(body: unknown) {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}
