import type { Deps } from '../deps.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import { refundCharge, refundPayment, settlePayment } from '../payments/settle-payment.ts';
import { openGates } from '../queries/inventory-gate.ts';
import { type LatePayment, takeLatePayments } from '../queries/late-payments.ts';

/** Calls to the provider at the same time, per task. */
const MAX_CALLS_AT_ONCE = 20;

/**
 * Settles payments that neither a response nor a webhook has settled (reconciliation): a task crashed between the charge and
 * its record, or the provider was down. Asks the provider for the outcome. A charge unknown to the provider counts as
 * declined; if it arrives after all, `paymentGrid` handles it.
 *
 * One run continues until nothing is due, so that the refunds of a cancelled event take as long as the provider needs. It ends at
 * the first batch with a failure: a provider that is down is asked about one batch per run.
 * @returns how many were settled
 */
export async function settleLatePayments(
  { db, redis }: Pick<Deps, 'db' | 'redis'>,
  provider: PaymentProvider,
  signal: AbortSignal,
) {
  let settled = 0;
  let taken = MAX_CALLS_AT_ONCE;
  while (taken === MAX_CALLS_AT_ONCE && !signal.aborted) {
    const late = await takeLatePayments(db, MAX_CALLS_AT_ONCE);
    taken = late.length;
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    const answers = await Promise.all(late.map((payment) => askProvider(payment).catch(note)));
    // One at a time, because payments of one event wait for the same lock: together they would take every connection.
    for (const record of answers) await record?.().catch(note);
    // One failure does not keep the others from being settled; it is due again soon.
    if (failures.length > 0) throw failures[0];
    settled += taken;
  }
  return settled;

  /** @returns the function that records what the provider said or did */
  async function askProvider({ id, status, amountMinor }: LatePayment): Promise<() => Promise<void>> {
    if (status === 'refund_due') {
      await refundCharge(provider, { id, amountMinor });
      return async () => void (await settlePayment(db, id, 'refunded'));
    }
    // A free booking needs no provider.
    const found = amountMinor === 0 ? 'accepted' : await provider.lookUp(id);
    return async () => {
      const outcome = await settlePayment(db, id, found === 'unknown' ? 'declined' : found);
      if (outcome?.status === 'refund_due') await refundPayment(db, provider, id);
      if (outcome?.returned) await openGates(redis, outcome.returned.eventId, outcome.returned.released);
    };
  }
}
