/** How far one attempt to pay has come. `refund_due`: it was charged, and the money has to go back. */
export type PaymentStatus = 'pending' | 'declined' | 'charged' | 'refund_due' | 'refunded';

/** What a provider says of a charge, in its answer or by webhook: maybe twice, late, or out of order. */
export type ProviderEvent = 'accepted' | 'declined' | 'refunded';

/**
 * How a booking stands when the word of its payment comes. A hold that has ended is `lapsed_with_room` if all its places can
 * still be had (and its buyer has not filled up with others meanwhile); `withdrawn` is a booking whose event is not on sale,
 * or has started when its hold has ended.
 */
export type BookingStanding =
  | 'held'
  | 'lapsed_with_room'
  | 'lapsed_without_room'
  | 'withdrawn'
  | 'confirmed_otherwise'
  | 'cancelled';

/**
 * - `confirm`: keep the money, give the tickets; `retake_and_confirm`: the same, with places taken anew
 * - `refund`: the charge is real, the tickets are not to be had: send the money back
 * - `decline`: note that nothing was charged; `note_refund`: note that the money has gone back; `note_charge_and_refund`: that it
 *   came and has gone back, before we heard of either
 * - `revoke`: the money left without our asking: take the tickets back
 * - `nothing`: known already, or overtaken by what is known
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

/** What to do, by how far the payment has come, what is said of it, and how its booking stands where that matters. */
export type PaymentGrid = Record<
  PaymentStatus,
  Record<ProviderEvent, PaymentAction | Record<BookingStanding, PaymentAction>>
>;

/**
 * The answer to every payment event, whatever came before it: money is kept if and only if tickets are given. A success is
 * believed after a failure, because money moved; a failure after a success is only late.
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
