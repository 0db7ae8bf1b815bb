import type { Booking, Event } from '@minitickets/contract';
import { useState } from 'react';
import { Notice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { BookingSummary } from './booking-summary.tsx';
import { CancelBooking } from './cancel-booking.tsx';
import { HoldClock } from './hold-clock.tsx';
import { PaymentForm } from './payment-form.tsx';

/** Places that are held until they are paid, or confirmed if they cost nothing. */
export function HeldBooking({
  booking,
  event,
  secondsLeft,
}: {
  booking: Booking;
  event: Event | undefined;
  secondsLeft: number;
}) {
  const declined = useDeclinedMeanwhile(booking);
  return (
    <Page title={booking.totalMinor === 0 ? 'Confirm your places' : 'Pay for your places'}>
      <div className="grid items-start gap-8 lg:grid-cols-[1fr_22rem]">
        <div className="space-y-6">
          <HoldClock booking={booking} secondsLeft={secondsLeft} />
          {declined && (
            <div role="alert">
              <Notice tone="bad" title="That payment was declined">
                <p>
                  The provider said no after all. Nothing was charged, and your places are still held: choose another
                  way to pay.
                </p>
              </Notice>
            </div>
          )}
          {booking.payment === 'pending' ? <PaymentUnderWay /> : <PaymentForm booking={booking} />}
        </div>
        <div className="space-y-4">
          <BookingSummary booking={booking} event={event} />
          {booking.payment !== 'pending' && <CancelBooking booking={booking} />}
        </div>
      </div>
    </Page>
  );
}

/** Whether a payment that was under way while this page was open has come to nothing, until the next one begins. */
function useDeclinedMeanwhile({ payment }: Booking): boolean {
  const [seen, setSeen] = useState(payment);
  const [declined, setDeclined] = useState(false);
  if (seen !== payment) {
    setSeen(payment);
    setDeclined(seen === 'pending' && payment === 'unpaid');
  }
  return declined;
}

function PaymentUnderWay() {
  return (
    <Notice tone="warn" title="A payment is under way">
      <p>
        The provider has not said yet how it went. This page asks every second and shows your tickets as soon as they
        are there. You are charged once, whatever you click or reload.
      </p>
    </Notice>
  );
}
