import type { Booking } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Private } from '../account/private.tsx';
import { bookingQuery, eventQuery } from '../api/queries.ts';
import { buttonClass } from '../interface/button.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Page } from '../interface/page.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';
import { BookingSummary } from '../shop/booking-summary.tsx';
import { HeldBooking } from '../shop/held-booking.tsx';
import { PaidBooking } from '../shop/paid-booking.tsx';
import { bookingOutcome } from '../words/booking-outcome.ts';
import { NotFoundPage } from './not-found.tsx';

const route = getRouteApi('/bookings/$id');

export function BookingPage() {
  const { id } = route.useParams();
  return <Private>{() => <OwnBooking key={id} id={id} />}</Private>;
}

function OwnBooking({ id }: { id: string }) {
  const query = useQuery(bookingQuery(id));
  return (
    <Loaded query={query} waiting={<PageSkeleton />} missing={<NotFoundPage what="booking" />}>
      {(booking) => <BookingByStatus booking={booking} />}
    </Loaded>
  );
}

function BookingByStatus({ booking }: { booking: Booking }) {
  const client = useQueryClient();
  const event = useQuery(eventQuery(booking.eventId)).data;
  const left = useSecondsLeft(booking.status === 'held' ? Date.parse(booking.holdExpiresAt) : undefined);
  // The hold expires at its deadline. The page shows that at once and refetches the booking, because a payment may have won.
  const expired = booking.status === 'held' && left === 0;
  useEffect(() => {
    if (expired) client.invalidateQueries({ queryKey: bookingQuery(booking.id).queryKey }).catch(() => undefined);
  }, [expired, booking.id, client]);

  // Paying or cancelling replaces the page's content, so scroll to its top.
  const shownStatus = useRef(booking.status);
  useEffect(() => {
    if (shownStatus.current !== booking.status) window.scrollTo({ top: 0 });
    shownStatus.current = booking.status;
  }, [booking.status]);

  // Until the refund of a cancelled event has reached this booking, it is still confirmed; its codes admit nobody.
  const isEventCancelled = event?.status === 'cancelled';
  if (booking.status === 'confirmed' && !isEventCancelled) return <PaidBooking booking={booking} event={event} />;
  if (booking.status === 'held' && !expired && !isEventCancelled) {
    return <HeldBooking booking={booking} event={event} secondsLeft={left} />;
  }
  const { title, text } = bookingOutcome(
    booking,
    booking.status === 'cancelled' ? 'cancelled' : 'expired',
    event?.status,
  );
  return (
    <Page title={title} lead={text} width="narrow">
      <BookingSummary booking={booking} event={event} />
      <div className="flex flex-wrap gap-3">
        <Link to="/events/$slug" params={{ slug: event?.slug ?? booking.eventId }} className={buttonClass('primary')}>
          Back to the event
        </Link>
        <Link to="/bookings" className={buttonClass('quiet')}>
          My bookings
        </Link>
      </div>
    </Page>
  );
}
