import type { Booking, Event } from '@minitickets/contract';
import { Button } from '../interface/button.tsx';
import { Icon } from '../interface/icon.tsx';
import { calendarEntry } from '../words/calendar.ts';

/** Hands the event to the reader's calendar as a file that every calendar reads. */
export function AddToCalendar({ booking, event }: { booking: Booking; event: Event }) {
  const save = () => {
    const url = new URL(`/bookings/${booking.id}`, window.location.href).href;
    const entry = calendarEntry(event, { url, now: new Date(), places: booking.tickets.length });
    const file = URL.createObjectURL(new Blob([entry], { type: 'text/calendar;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = file;
    link.download = `${event.slug}.ics`;
    link.click();
    // The download has its own hold on the file once it has begun.
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  };
  return (
    <Button look="quiet" wide onClick={save}>
      <Icon name="calendar" />
      Add to calendar
    </Button>
  );
}
