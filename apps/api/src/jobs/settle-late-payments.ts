import type { Deps } from '../deps.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { refundPayment, settlePayment } from '../payments/settle-payment.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { type LatePayment, takeLatePayments } from '../queries/late-payments.ts';

const PAYMENTS_AT_ONCE = 20;

/**
 * What neither an answer nor a webhook has settled: a task died between charging and writing down, or the provider was away.
 * Asks the provider what became of it. A charge that it never saw was not made: the payment counts as declined, and should it
 * come after all, `paymentGrid` knows what to do.
 * @returns how many were settled
 */
export async function settleLatePayments({ db, redis }: Pick<Deps, 'db' | 'redis'>, provider: PaymentProvider) {
  const late = await takeLatePayments(db, PAYMENTS_AT_ONCE);
  const results = await Promise.allSettled(late.map((payment) => settleLate(payment)));
  const failed = results.find((result) => result.status === 'rejected');
  // One that fails does not keep the others from being settled; it is late again soon.
  if (failed) throw failed.reason;
  return late.length;

  async function settleLate({ id, status, amountMinor }: LatePayment) {
    if (status === 'refund_due') return refundPayment(db, provider, id);
    // What costs nothing needs nobody's consent.
    const found = amountMinor === 0 ? 'accepted' : await provider.lookUp(id);
    const settled = await settlePayment(db, id, found === 'unknown' ? 'declined' : found);
    if (settled?.status === 'refund_due') await refundPayment(db, provider, id);
    if (settled?.returned) await openGates(redis, settled.returned.eventId, settled.returned.released);
  }
}
