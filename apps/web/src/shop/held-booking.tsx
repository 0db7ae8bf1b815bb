import type { Booking, Event } from '@minitickets/contract';
import { useIsMutating } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { BookingSummary } from './booking-summary.tsx';
import { CancelBooking } from './cancel-booking.tsx';
import { HoldClock } from './hold-clock.tsx';
import { PaymentForm, paymentKey } from './payment-form.tsx';

/** A held booking: the buyer pays for it, confirms it if it is free, or releases the tickets. */
export function HeldBooking({
  booking,
  event,
  secondsLeft,
}: {
  booking: Booking;
  event: Event | undefined;
  secondsLeft: number;
}) {
  const declined = useLateDecline(booking);
  // The last response may predate this tab's own payment.
  const isPaying = useIsMutating({ mutationKey: paymentKey(booking.id) }) > 0 || booking.payment === 'pending';
  return (
    <Page title={booking.totalMinor === 0 ? 'Confirm your tickets' : 'Pay for your tickets'}>
      <div className="grid items-start gap-8 lg:grid-cols-[1fr_22rem]">
        <div className="space-y-6">
          <HoldClock booking={booking} secondsLeft={secondsLeft} />
          {declined && (
            <div role="alert">
              <Notice tone="bad" title="The payment was declined">
                <p>Nothing was charged, and your tickets are still held. Choose another way to pay.</p>
              </Notice>
            </div>
          )}
          {booking.payment === 'pending' ? <PaymentPending /> : <PaymentForm booking={booking} />}
        </div>
        <div className="space-y-4">
          <BookingSummary booking={booking} event={event} />
          {!isPaying && <CancelBooking booking={booking} />}
        </div>
      </div>
    </Page>
  );
}

/** Returns whether a pending payment was declined while this page was open, until the next payment starts. */
function useLateDecline({ payment }: Booking): boolean {
  const [seen, setSeen] = useState(payment);
  const [declined, setDeclined] = useState(false);
  if (seen !== payment) {
    setSeen(payment);
    setDeclined(seen === 'pending' && payment === 'unpaid');
  }
  return declined;
}

function PaymentPending() {
  return (
    <Notice tone="warn" title="Your payment is in progress">
      <p>
        The payment provider has not confirmed it yet. This page checks every second and shows your tickets as soon as
        they are paid. You can reload or come back later: you are charged once.
      </p>
    </Notice>
  );
}
