import type { Connection, Database } from '../db/client.ts';
import {
  type BookingForChange,
  bookingForChange,
  cancelBooking,
  confirmBooking,
  roomOfExpiredBooking,
} from '../queries/bookings.ts';
import { reclaimExpiredHolds, returnInventory } from '../queries/inventory.ts';
import type { Released } from '../queries/inventory-gate.ts';
import { lockEventOfPayment, type PaymentRow, paymentById, updatePayment } from '../queries/payments.ts';
import { insertProviderEvent } from '../queries/provider-events.ts';
import { statusAt } from '../rules/booking-status.ts';
import { whyNoRoom } from '../rules/hold-decisions.ts';
import {
  type BookingStanding,
  type PaymentGrid,
  type PaymentStatus,
  type ProviderEvent,
  paymentAction,
  paymentGrid,
} from '../rules/payment-grid.ts';
import type { PaymentProvider } from './payment-provider.ts';

const MAX_RECLAIMED = 2_000;

/** The status of a payment after it was settled, and the inventory that was released. */
export type Settled = { status: PaymentStatus; returned: { eventId: string; released: Released[] } | null };

/**
 * Processes a provider's message about a payment, in one transaction under its event's lock; the grid decides.
 * @param webhookId identifies a webhook, so that a duplicate is recognised
 * @returns the payment's new status; null if the payment is not ours
 */
export async function settlePayment(
  db: Connection,
  paymentId: string,
  event: ProviderEvent,
  webhookId?: string,
  grid: PaymentGrid = paymentGrid,
): Promise<Settled | null> {
  const known = await paymentById(db, paymentId);
  if (!known) return null;
  // Most webhooks repeat the response to the charge. Statuses only move forward, so this check needs no lock.
  if (grid[known.status][event] === 'nothing') return { status: known.status, returned: null };
  return db.transaction(async (transaction) => {
    const locked = await lockEventOfPayment(transaction, paymentId);
    const payment = locked && (await paymentById(transaction, paymentId));
    const booking = locked && (await bookingForChange(transaction, locked.bookingId));
    if (!payment || !booking) return null;
    const { eventId, bookingId } = locked;
    const standing = await standingOf(transaction, eventId, booking);
    if (webhookId !== undefined && !(await insertProviderEvent(transaction, webhookId))) {
      return { status: payment.status, returned: null };
    }
    let returned: Settled['returned'] = null;
    switch (paymentAction(payment.status, event, standing, grid)) {
      case 'confirm':
        await confirmBooking(transaction, bookingId, 'held');
        await updatePayment(transaction, payment, { status: 'charged', moved: 'charge' });
        break;
      case 'retake_and_confirm':
        await confirmBooking(transaction, bookingId, 'free');
        await updatePayment(transaction, payment, { status: 'charged', moved: 'charge' });
        break;
      case 'refund':
        await updatePayment(transaction, payment, { status: 'refund_due', moved: 'charge' });
        break;
      case 'decline':
        await updatePayment(transaction, payment, { status: 'declined' });
        break;
      case 'note_refund':
        await updatePayment(transaction, payment, { status: 'refunded', moved: 'refund' });
        break;
      case 'note_charge_and_refund':
        await updatePayment(transaction, payment, { status: 'refund_due', moved: 'charge' });
        await updatePayment(transaction, payment, { status: 'refunded', moved: 'refund' });
        break;
      case 'revoke':
        await cancelBooking(transaction, bookingId);
        await updatePayment(transaction, payment, { status: 'refunded', moved: 'refund' });
        returned = { eventId, released: await returnInventory(transaction, bookingId, 'sold') };
        break;
      case 'nothing':
        break;
    }
    const settled = await paymentById(transaction, paymentId);
    return { status: settled?.status ?? payment.status, returned };
  });
}

/** Refunds a payment that is due for it, and records the refund. Idempotent; after a failure the late-payments job retries. */
export async function refundPayment(db: Database, provider: PaymentProvider, paymentId: string) {
  const payment = await paymentById(db, paymentId);
  if (payment) await refundCharge(provider, payment);
  await settlePayment(db, paymentId, 'refunded');
}

/** Refunds at the provider. A free booking was never charged, so the provider is not asked. */
export async function refundCharge(
  provider: PaymentProvider,
  { id, amountMinor }: Pick<PaymentRow, 'id' | 'amountMinor'>,
) {
  if (amountMinor > 0) await provider.refund(id);
}

async function standingOf(db: Connection, eventId: string, booking: BookingForChange): Promise<BookingStanding> {
  const status = statusAt(booking);
  if (status === 'confirmed') return 'confirmed_otherwise';
  if (status === 'cancelled') return 'cancelled';
  if (booking.eventStatus !== 'on_sale') return 'withdrawn';
  // The sale window was checked when the tickets were held; a hold can be paid even after the event has started.
  if (status === 'held') return 'held';
  if (booking.eventStartsAt <= booking.now) return 'withdrawn';
  // This includes the payment's own hold: inventory that expired before now is free for the first transaction to take it,
  // which is this one.
  while ((await reclaimExpiredHolds(db, eventId, MAX_RECLAIMED)) === MAX_RECLAIMED);
  return whyNoRoom(await roomOfExpiredBooking(db, booking.id)) ? 'lapsed_without_room' : 'lapsed_with_room';
}
