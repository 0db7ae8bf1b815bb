import type { Deps } from '../deps.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { refundPayment, settlePayment } from '../payments/settle-payment.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { type LatePayment, takeLatePayments } from '../queries/late-payments.ts';

const MAX_PAYMENTS_PER_RUN = 20;

/**
 * Settles payments that neither a response nor a webhook has settled (reconciliation): a task crashed between the charge and
 * its record, or the provider was down. Asks the provider for the outcome. A charge unknown to the provider counts as
 * declined; if it arrives after all, `paymentGrid` handles it.
 * @returns how many were settled
 */
export async function settleLatePayments({ db, redis }: Pick<Deps, 'db' | 'redis'>, provider: PaymentProvider) {
  const late = await takeLatePayments(db, MAX_PAYMENTS_PER_RUN);
  const results = await Promise.allSettled(late.map((payment) => settleLate(payment)));
  const failed = results.find((result) => result.status === 'rejected');
  // One failure does not keep the others from being settled; it is due again soon.
  if (failed) throw failed.reason;
  return late.length;

  async function settleLate({ id, status, amountMinor }: LatePayment) {
    if (status === 'refund_due') return refundPayment(db, provider, id);
    // A free booking needs no provider.
    const found = amountMinor === 0 ? 'accepted' : await provider.lookUp(id);
    const settled = await settlePayment(db, id, found === 'unknown' ? 'declined' : found);
    if (settled?.status === 'refund_due') await refundPayment(db, provider, id);
    if (settled?.returned) await openGates(redis, settled.returned.eventId, settled.returned.released);
  }
}
