import type { Booking, EventStatus } from '@minitickets/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { Private } from '../account/private.tsx';
import { bookingsQuery, eventQuery } from '../api/queries.ts';
import { buttonClass } from '../interface/button.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { EmptyList } from '../interface/empty-list.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Page } from '../interface/page.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { EventArt } from '../shop/event-art.tsx';
import { EventWhen } from '../shop/event-when.tsx';
import { type BookingBadge, bookingBadge } from '../words/booking-badge.ts';
import { clockFace } from '../words/durations.ts';
import { money } from '../words/money.ts';

export function BookingsPage() {
  return <Private>{() => <OwnBookings />}</Private>;
}

function OwnBookings() {
  const bookings = useInfiniteQuery(bookingsQuery);
  return (
    <Page title="My bookings">
      <Loaded query={bookings} waiting={<Skeleton className="h-28" />}>
        {(items) =>
          items.length === 0 ? (
            <EmptyList title="You have no bookings yet">
              <Link to="/" className={buttonClass('primary')}>
                Browse events
              </Link>
            </EmptyList>
          ) : (
            <>
              <ul className="space-y-3">
                {items.map((booking) => (
                  <li key={booking.id}>
                    <BookingRow booking={booking} />
                  </li>
                ))}
              </ul>
              <div className="text-center empty:hidden">
                <ShowMore list={bookings}>Show older bookings</ShowMore>
              </div>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function BookingRow({ booking }: { booking: Booking }) {
  const event = useQuery({ ...eventQuery(booking.eventId), staleTime: 60_000 }).data;
  const ticketCount = booking.lines.reduce((sum, line) => sum + line.quantity, 0);
  return (
    <article className="tear-card relative">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 rounded-card bg-surface p-4">
        <EventArt slug={event?.slug ?? booking.eventId} className="hidden h-20 w-32 rounded-control sm:block" />
        <div className="min-w-0 grow space-y-1">
          <h2 className="text-xl font-bold">
            <Link to="/bookings/$id" params={{ id: booking.id }} className="after:absolute after:inset-0">
              {event?.name ?? 'Your booking'}
            </Link>
          </h2>
          {event && (
            <p className="text-muted">
              <EventWhen startsAt={event.startsAt} timeZone={event.timeZone} />
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
          <p>
            {ticketCount} {ticketCount === 1 ? 'ticket' : 'tickets'},{' '}
            <span className="font-bold">{money(booking.totalMinor, booking.currency)}</span>
          </p>
          <StatusBadge booking={booking} eventStatus={event?.status} />
        </div>
      </div>
    </article>
  );
}

const looks: Record<BookingBadge['tone'], string> = {
  waiting: 'bg-accent-soft text-accent',
  valid: 'bg-good-soft text-good',
  over: 'bg-sunken text-muted',
};

function StatusBadge({ booking, eventStatus }: { booking: Booking; eventStatus: EventStatus | undefined }) {
  const left = useSecondsLeft(booking.status === 'held' ? Date.parse(booking.holdExpiresAt) : undefined);
  const status = booking.status === 'held' && left === 0 ? 'expired' : booking.status;
  const { words, tone } = bookingBadge(booking, status, eventStatus);
  return (
    <span className={clsx('rounded-full px-3 py-0.5 text-sm font-semibold tabular-nums', looks[tone])}>
      {words === 'Held' ? `${words}: pay within ${clockFace(left)}` : words}
    </span>
  );
}
