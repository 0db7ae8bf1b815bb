/** The state of one payment attempt. `refund_due`: it was charged, and the money has to go back. */
export type PaymentStatus = 'pending' | 'declined' | 'charged' | 'refund_due' | 'refunded';

/** A provider's message about a charge, in its response or by webhook: possibly duplicated, late, or out of order. */
export type ProviderEvent = 'accepted' | 'declined' | 'refunded';

/**
 * The state of a booking when a message about its payment arrives. An expired hold is `lapsed_with_room` if all its tickets
 * are still free and its buyer is still within the limit; `withdrawn` is a booking whose event is not on sale, or has started
 * after its hold expired.
 */
export type BookingStanding =
  | 'held'
  | 'lapsed_with_room'
  | 'lapsed_without_room'
  | 'withdrawn'
  | 'confirmed_otherwise'
  | 'cancelled';

/**
 * The steps of the saga, and their compensations:
 * - `confirm`: keep the money and issue the tickets; `retake_and_confirm`: the same, after taking the inventory again
 * - `refund`: the charge is real but the tickets are gone, so refund it (compensation)
 * - `decline`: record that nothing was charged; `note_refund`: record a refund; `note_charge_and_refund`: record a charge and
 *   its refund, both unknown until now
 * - `revoke`: the provider refunded without our request, so take the tickets back
 * - `nothing`: a duplicate, or superseded by what is known
 */
export type PaymentAction =
  | 'confirm'
  | 'retake_and_confirm'
  | 'refund'
  | 'decline'
  | 'note_refund'
  | 'note_charge_and_refund'
  | 'revoke'
  | 'nothing';

// #region on-charge
const onCharge = {
  held: 'confirm',
  lapsed_with_room: 'retake_and_confirm',
  lapsed_without_room: 'refund',
  withdrawn: 'refund',
  confirmed_otherwise: 'refund',
  cancelled: 'refund',
} as const satisfies Record<BookingStanding, PaymentAction>;
// #endregion

/** The action for each payment status, provider message and, where it matters, state of the booking. */
export type PaymentGrid = Record<
  PaymentStatus,
  Record<ProviderEvent, PaymentAction | Record<BookingStanding, PaymentAction>>
>;

/**
 * The decision for every payment event in any order: money is kept if and only if tickets are issued. A success after a
 * failure is believed, because money moved; a failure after a success is only late.
 */
// #region grid
export const paymentGrid = {
  pending: { accepted: onCharge, declined: 'decline', refunded: 'note_charge_and_refund' },
  declined: { accepted: onCharge, declined: 'nothing', refunded: 'note_charge_and_refund' },
  charged: { accepted: 'nothing', declined: 'nothing', refunded: 'revoke' },
  refund_due: { accepted: 'nothing', declined: 'nothing', refunded: 'note_refund' },
  refunded: { accepted: 'nothing', declined: 'nothing', refunded: 'nothing' },
} as const satisfies PaymentGrid;
// #endregion

export function paymentAction(
  status: PaymentStatus,
  event: ProviderEvent,
  standing: BookingStanding,
  grid: PaymentGrid = paymentGrid,
): PaymentAction {
  const cell = grid[status][event];
  return typeof cell === 'string' ? cell : cell[standing];
}
