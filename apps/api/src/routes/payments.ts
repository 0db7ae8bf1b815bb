import { headers, type PaymentToken, providerEvent } from '@minitickets/contract';
import type { FastifyBaseLogger } from 'fastify';
import { withClient } from '../db/client.ts';
import { afterCommit } from '../db/failures.ts';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import { refundPayment, type Settled, settlePayment } from '../payments/settle-payment.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { bookingForChange, bookingOfUser } from '../queries/bookings.ts';
import { confirmIfClear } from '../queries/confirmations.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { type BegunPayment, beginPayment, paymentById } from '../queries/payments.ts';
import { whyNotPayable } from '../rules/booking-status.ts';
import { jsonText } from '../rules/json-text.ts';
import type { ProviderEvent } from '../rules/payment-grid.ts';
import { codeKey } from '../rules/ticket-codes.ts';
import { isSignedWebhook } from '../rules/webhook-signatures.ts';
import { type BookingDeps, toBooking } from './bookings.ts';

/** Deadline for the provider's response. After it the payment stays pending until its webhook settles it. */
const PROVIDER_DEADLINE_MS = 3_000;

const eventOf = {
  'charge.accepted': 'accepted',
  'charge.declined': 'declined',
  'charge.refunded': 'refunded',
} as const satisfies Record<string, ProviderEvent>;

export function paymentRoutes(app: Api, { config, db, redis }: Deps, { provider, writingPool }: BookingDeps) {
  const serve = routeServer(app, { db });
  const key = codeKey(deriveKey(config.appSecret, 'ticket-code'));
  const webhookKeys = [config.appSecret, ...config.appSecretsBefore].map((secret) =>
    deriveKey(secret, 'webhook-signature'),
  );

  serve('payBooking', async (request) => {
    const userId = viewerOf(request).user.id;
    const { id: bookingId } = request.params;
    const { paymentToken } = request.body;
    if (paymentToken === undefined) {
      // A total never changes, so this check cannot become stale before the payment starts.
      const state = await bookingForChange(db, bookingId, userId);
      if (state && state.totalMinor > 0) failWithoutToken();
    }
    // Committed before the call to the provider: a charge without a record could never be refunded.
    const begun = await beginPayment(db, bookingId, userId);
    if (!begun) {
      const state = await bookingForChange(db, bookingId, userId);
      const obstacle = whyNotPayable(state ?? fail({ kind: 'not-found', what: 'booking' }));
      if (obstacle) fail(obstacle);
    }
    if (begun) await afterCommit(charge(begun, paymentToken, request.log));
    // The charge is kept only for a confirmed booking.
    const refunded = begun !== undefined;

    const row =
      (await afterCommit(bookingOfUser(db, bookingId, userId))) ?? fail({ kind: 'not-found', what: 'booking' });
    if (row.status === 'confirmed') return toBooking(row, key);
    if (row.status === 'cancelled') fail({ kind: 'booking-not-payable', status: row.status, refunded });
    if (row.status === 'held') fail({ kind: 'event-not-on-sale', refunded });
    return fail({ kind: 'hold-expired', refunded });
  });

  /**
   * Charges a booking's total and settles the payment by the provider's response. A total of zero counts as accepted without
   * a charge; everything else is the same.
   * @throws TicketingError payment-in-progress, payment-declined; otherwise the charge was made
   */
  async function charge(begun: BegunPayment, token: PaymentToken | undefined, log: FastifyBaseLogger) {
    const { id: reference, eventId } = begun;
    const answer = begun.amountMinor === 0 ? 'accepted' : await askProvider(begun, token ?? failWithoutToken(), log);
    if (answer && !(answer === 'accepted' && (await confirm(eventId, reference)))) {
      await settlePayment(db, reference, answer);
    }
    // Read again instead of inferred: a webhook may have settled the payment first.
    const status = (await paymentById(db, reference))?.status;
    if (status === 'pending') fail({ kind: 'payment-in-progress' });
    if (status === 'declined') fail({ kind: 'payment-declined' });
    if (status === 'refund_due') await sendBack(reference, log);
  }

  /** Returns the provider's response; undefined if none arrived in time. */
  async function askProvider(
    { id: reference, amountMinor, currency }: BegunPayment,
    token: PaymentToken,
    log: FastifyBaseLogger,
  ) {
    const deadline = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    return provider
      .charge({ reference, amountMinor, currency, token }, deadline)
      .catch((error: unknown) =>
        log.warn({ err: error, payment: reference }, 'no response from the provider to a charge'),
      );
  }

  const confirm = (eventId: string, reference: string) =>
    withClient(writingPool, (client) => confirmIfClear(client, eventId, reference));

  async function sendBack(reference: string, log: FastifyBaseLogger) {
    await refundPayment(db, provider, reference).catch((error: unknown) => {
      log.warn({ err: error, payment: reference }, 'a refund failed; the late-payments job will retry it');
    });
  }

  async function takeIn(settled: Settled, reference: string, log: FastifyBaseLogger) {
    if (settled.status === 'refund_due') await sendBack(reference, log);
    if (settled.returned) {
      await openGates(redis, settled.returned.eventId, settled.returned.released).catch((error: unknown) => {
        log.warn({ err: error }, 'opening an inventory gate failed');
      });
    }
  }

  app.register(async (scope: Api) => {
    // The signature covers the raw bytes, so this route alone reads the body unparsed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    routeServer(scope, { db })('receivePaymentEvent', async (request, reply) => {
      const signature = request.headers[headers.sandboxSignature];
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (!isSignedWebhook(signature?.toString(), body, webhookKeys, new Date())) {
        fail({ kind: 'forbidden', reason: 'The signature is invalid or expired.' });
      }
      const event = readEvent(body) ?? fail({ kind: 'not-valid', path: '', message: 'not an event of the provider' });
      const settled = await settlePayment(db, event.reference, eventOf[event.type], event.id);
      if (settled) await takeIn(settled, event.reference, request.log);
      else request.log.warn({ event }, 'webhook for an unknown payment');
      return reply.code(204).send(null);
    });
  });
}

function failWithoutToken(): never {
  return fail({ kind: 'not-valid', path: '/paymentToken', message: 'required: this booking is not free' });
}

function readEvent(body: Buffer) {
  try {
    return providerEvent.safeParse(JSON.parse(jsonText(body))).data;
  } catch {
    return undefined;
  }
}
