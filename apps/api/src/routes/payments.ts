import { headers, type PaymentToken, providerEvent } from '@minitickets/contract';
import type { FastifyBaseLogger } from 'fastify';
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

/** How long a provider's answer is waited for. Without one the payment stays pending, and its webhook settles it. */
const ANSWER_PATIENCE_MS = 3_000;

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
      // A total never changes, so it cannot become a sum between this and the payment's beginning.
      const state = await bookingForChange(db, bookingId, userId);
      if (state && state.totalMinor > 0) failWithoutToken();
    }
    // Committed before the provider is asked: a charge that nobody here knows of could never be sent back.
    const begun = await beginPayment(db, bookingId, userId);
    if (!begun) {
      const state = await bookingForChange(db, bookingId, userId);
      const obstacle = whyNotPayable(state ?? fail({ kind: 'not-found', what: 'booking' }));
      if (obstacle) fail(obstacle);
    }
    if (begun) await charge(begun, paymentToken, request.log);
    // A charge that was made is kept for a confirmed booking alone.
    const refunded = begun !== undefined;

    const row = (await bookingOfUser(db, bookingId, userId)) ?? fail({ kind: 'not-found', what: 'booking' });
    if (row.status === 'confirmed') return toBooking(row, key);
    if (row.status === 'cancelled') fail({ kind: 'booking-not-payable', status: row.status, refunded });
    if (row.status === 'held') fail({ kind: 'event-not-on-sale', refunded });
    return fail({ kind: 'hold-expired', refunded });
  });

  /**
   * Charges what a booking costs, and settles the payment by the answer. Nothing is charged for a total of zero: it counts as
   * accepted, and everything else is as for any payment.
   * @throws TicketingError payment-in-progress, payment-declined; otherwise the charge was made
   */
  async function charge(begun: BegunPayment, token: PaymentToken | undefined, log: FastifyBaseLogger) {
    const { id: reference, eventId } = begun;
    const answer = begun.amountMinor === 0 ? 'accepted' : await askProvider(begun, token ?? failWithoutToken(), log);
    if (answer && !(answer === 'accepted' && (await confirm(eventId, reference)))) {
      await settlePayment(db, reference, answer);
    }
    // Read, not concluded: a webhook may have been faster, and it has the same right to settle a payment.
    const status = (await paymentById(db, reference))?.status;
    if (status === 'pending') fail({ kind: 'payment-in-progress' });
    if (status === 'declined') fail({ kind: 'payment-declined' });
    if (status === 'refund_due') await sendBack(reference, log);
  }

  /** Returns the provider's answer; undefined if none came in time. */
  async function askProvider(
    { id: reference, amountMinor, currency }: BegunPayment,
    token: PaymentToken,
    log: FastifyBaseLogger,
  ) {
    const deadline = AbortSignal.timeout(ANSWER_PATIENCE_MS);
    return provider
      .charge({ reference, amountMinor, currency, token }, deadline)
      .catch((error: unknown) =>
        log.warn({ err: error, payment: reference }, 'the provider gave no answer to a charge'),
      );
  }

  async function confirm(eventId: string, reference: string) {
    const client = await writingPool.connect();
    return confirmIfClear(client, eventId, reference).finally(() => client.release());
  }

  async function sendBack(reference: string, log: FastifyBaseLogger) {
    await refundPayment(db, provider, reference).catch((error: unknown) => {
      log.warn({ err: error, payment: reference }, 'a refund is left to the late-payments job');
    });
  }

  async function takeIn(settled: Settled, reference: string, log: FastifyBaseLogger) {
    if (settled.status === 'refund_due') await sendBack(reference, log);
    if (settled.returned) {
      await openGates(redis, settled.returned.eventId, settled.returned.released).catch((error: unknown) => {
        log.warn({ err: error }, 'a gate was not opened');
      });
    }
  }

  app.register(async (scope: Api) => {
    // A signature is over bytes, so this route alone reads them as they came.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    routeServer(scope, { db })('receivePaymentEvent', async (request, reply) => {
      const signature = request.headers[headers.sandboxSignature];
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (!isSignedWebhook(signature?.toString(), body, webhookKeys, new Date())) {
        fail({ kind: 'forbidden', reason: 'The signature is wrong, or too old.' });
      }
      const event = readEvent(body) ?? fail({ kind: 'not-valid', path: '', message: 'not an event of the provider' });
      const settled = await settlePayment(db, event.reference, eventOf[event.type], event.id);
      if (settled) await takeIn(settled, event.reference, request.log);
      else request.log.warn({ event }, 'the provider told of a payment that is not ours');
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
