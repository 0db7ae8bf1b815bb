import { booking, id, payment } from '@minitickets/contract';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { deriveKey } from '../keys.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { refundPayment, settlePayment } from '../payments/settle-payment.ts';
import { requireUser, viewerOf } from '../plugins/session.ts';
import { bookingForChange, bookingOfUser, lockEventOfBooking } from '../queries/bookings.ts';
import { insertPayment, paymentById } from '../queries/payments.ts';
import { mayBeginPayment } from '../rules/booking-status.ts';
import { codeKey } from '../rules/ticket-codes.ts';
import { toBooking } from './bookings.ts';

/** How long a provider's answer is waited for. Without one the payment stays pending, and its webhook settles it. */
const ANSWER_PATIENCE_MS = 3_000;

const params = z.object({ id });

export function paymentRoutes(app: Api, { config, db }: Deps, provider: PaymentProvider) {
  const key = codeKey(deriveKey(config.appSecret, 'ticket-code'));

  app.post(
    '/v1/bookings/:id/payment',
    {
      onRequest: requireUser,
      schema: { summary: 'Pay a held booking', params, body: payment, response: { 200: booking } },
    },
    async (request) => {
      const userId = viewerOf(request).user.id;
      const { id: bookingId } = request.params;
      // Committed before the provider is asked: a charge that nobody here knows of could never be sent back.
      const begun = await db.transaction(async (transaction) => {
        if (!(await lockEventOfBooking(transaction, bookingId, userId))) fail({ kind: 'not-found', what: 'booking' });
        const state = await bookingForChange(transaction, bookingId);
        if (!mayBeginPayment(state)) return null;
        return insertPayment(transaction, { bookingId, amountMinor: state.totalMinor, currency: state.currency });
      });

      if (begun) {
        const { id: reference, amountMinor, currency } = begun;
        const order = { reference, amountMinor, currency, token: request.body.paymentToken };
        const answer = await provider.charge(order, AbortSignal.timeout(ANSWER_PATIENCE_MS)).catch((error: unknown) => {
          request.log.warn({ err: error, payment: reference }, 'the provider gave no answer to a charge');
          return null;
        });
        if (answer) await settlePayment(db, reference, answer);
        // Read, not concluded: a webhook may have been faster, and it has the same right to settle a payment.
        const settled = await paymentById(db, reference);
        if (settled?.status === 'pending') fail({ kind: 'payment-in-progress' });
        if (settled?.status === 'declined') fail({ kind: 'payment-declined' });
        if (settled?.status === 'refund_due') {
          await refundPayment(db, provider, reference).catch((error: unknown) => {
            request.log.warn({ err: error, payment: reference }, 'a refund is left to the late-payments job');
          });
        }
      }
      const row = (await bookingOfUser(db, bookingId, userId)) ?? fail({ kind: 'not-found', what: 'booking' });
      if (row.status === 'expired' || row.status === 'held') fail({ kind: 'hold-expired' });
      if (row.status === 'cancelled') fail({ kind: 'booking-not-payable', status: row.status });
      return toBooking(row, key);
    },
  );
}
