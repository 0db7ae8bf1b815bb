import type { Booking, Event } from '@minitickets/contract';
import { serverClock } from '../api/server-clock.ts';
import { Button } from '../interface/button.tsx';
import { Icon } from '../interface/icon.tsx';
import { Page } from '../interface/page.tsx';
import { AddToCalendar } from './add-to-calendar.tsx';
import { BookingSummary } from './booking-summary.tsx';
import { CancelBooking } from './cancel-booking.tsx';
import { TicketCard } from './ticket-card.tsx';

/** The tickets of a confirmed booking, to show at the door or to print. */
export function PaidBooking({ booking, event }: { booking: Booking; event: Event | undefined }) {
  const count = booking.tickets.length;
  const started = event !== undefined && serverClock.now() >= Date.parse(event.startsAt);
  return (
    <Page
      title={count === 1 ? 'Your ticket' : `Your ${count} tickets`}
      lead={
        <p className="print:hidden">
          {booking.totalMinor === 0 ? '' : 'Paid. '}Show each code at the door: it admits one person, once.
        </p>
      }
    >
      <div className="grid items-start gap-8 lg:grid-cols-[1fr_22rem] print:block">
        <ul className="space-y-5">
          {booking.tickets.map((ticket, index) => (
            <li key={ticket.id} className="break-inside-avoid">
              <TicketCard ticket={ticket} event={event} position={`${index + 1} of ${count}`} />
            </li>
          ))}
        </ul>
        <div className="space-y-4 print:hidden">
          <BookingSummary booking={booking} event={event} />
          {event && !started && <AddToCalendar booking={booking} event={event} />}
          <Button look="quiet" wide onClick={() => window.print()}>
            <Icon name="print" />
            Print {count === 1 ? 'ticket' : 'tickets'}
          </Button>
          {!started && <CancelBooking booking={booking} />}
        </div>
      </div>
    </Page>
  );
}
