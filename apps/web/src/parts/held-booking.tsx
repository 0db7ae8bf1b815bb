import type { Booking, Event } from '@minitickets/contract';
import { BookingSummary } from './booking-summary.tsx';
import { CancelBooking } from './cancel-booking.tsx';
import { HoldClock } from './hold-clock.tsx';
import { Notice } from './notice.tsx';
import { Page } from './page.tsx';
import { PaymentForm } from './payment-form.tsx';

/** Places that wait to be paid. */
export function HeldBooking({
  booking,
  event,
  secondsLeft,
}: {
  booking: Booking;
  event: Event | undefined;
  secondsLeft: number;
}) {
  return (
    <Page title="Pay for your places">
      <div className="grid items-start gap-8 lg:grid-cols-[1fr_22rem]">
        <div className="space-y-6">
          <HoldClock booking={booking} secondsLeft={secondsLeft} />
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
