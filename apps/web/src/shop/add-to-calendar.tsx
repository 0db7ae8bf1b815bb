import type { Booking, Event } from '@minitickets/contract';
import { Button } from '../interface/button.tsx';
import { Icon } from '../interface/icon.tsx';
import { calendarEntry } from '../words/calendar.ts';

/** Downloads the event as an iCalendar file. */
export function AddToCalendar({ booking, event }: { booking: Booking; event: Event }) {
  const save = () => {
    const url = new URL(`/bookings/${booking.id}`, window.location.href).href;
    const entry = calendarEntry(event, { url, now: new Date(), ticketCount: booking.tickets.length });
    const file = URL.createObjectURL(new Blob([entry], { type: 'text/calendar;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = file;
    link.download = `${event.slug}.ics`;
    link.click();
    // Once the download has started, it no longer needs the object URL.
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  };
  return (
    <Button look="quiet" wide onClick={save}>
      <Icon name="calendar" />
      Add to calendar
    </Button>
  );
}
