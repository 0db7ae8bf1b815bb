import {
  type BookingStanding,
  type PaymentAction,
  type PaymentGrid,
  paymentGrid,
} from '@minitickets/api/rules/payment-grid';

/** Gives tickets for every charge, whatever the booking state. */
export function confirmAnyway(): PaymentGrid {
  // #region confirm-anyway
  const onCharge = {
    held: 'confirm',
    lapsed_with_room: 'retake_and_confirm',
    lapsed_without_room: 'retake_and_confirm',
    withdrawn: 'confirm',
    confirmed_otherwise: 'refund',
    cancelled: 'retake_and_confirm',
  } as const satisfies Record<BookingStanding, PaymentAction>;
  // #endregion
  return onEveryCharge(onCharge);
}

/** Ignores a charge unless the booking is held. */
export function heldOrNothing(): PaymentGrid {
  // #region held-or-nothing
  const onCharge = {
    held: 'confirm',
    lapsed_with_room: 'nothing',
    lapsed_without_room: 'nothing',
    withdrawn: 'nothing',
    confirmed_otherwise: 'nothing',
    cancelled: 'nothing',
  } as const satisfies Record<BookingStanding, PaymentAction>;
  // #endregion
  return onEveryCharge(onCharge);
}

/** Trusts the order of delivery: a decline revokes what was paid, and a refund of an unpaid booking is ignored. */
export function inOrder(): PaymentGrid {
  const onCharge = paymentGrid.pending.accepted;
  // #region in-order
  return {
    pending: { accepted: onCharge, declined: 'decline', refunded: 'nothing' },
    declined: { accepted: onCharge, declined: 'nothing', refunded: 'note_charge_and_refund' },
    charged: { accepted: 'nothing', declined: 'revoke', refunded: 'revoke' },
    refund_due: { accepted: 'nothing', declined: 'nothing', refunded: 'note_refund' },
    refunded: { accepted: 'nothing', declined: 'nothing', refunded: 'nothing' },
  } as const satisfies PaymentGrid;
  // #endregion
}

const onEveryCharge = (accepted: Record<BookingStanding, PaymentAction>): PaymentGrid => ({
  ...paymentGrid,
  pending: { ...paymentGrid.pending, accepted },
  declined: { ...paymentGrid.declined, accepted },
});
