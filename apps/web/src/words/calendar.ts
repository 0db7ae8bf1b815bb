import type { Event } from '@minitickets/contract';

/** Events have no end time, and calendars need one. */
const assumedHours = 3;

/**
 * Returns a calendar entry for an event (RFC 5545). Times are in UTC, so the entry needs no time zone definitions and every
 * calendar shows the right hour.
 * @param url of the booking, so that the entry leads to the tickets
 * @param now when the entry is created
 */
export function calendarEntry(
  event: Pick<Event, 'id' | 'name' | 'venue' | 'startsAt'>,
  { url, now, ticketCount }: { url: string; now: Date; ticketCount: number },
): string {
  const start = new Date(event.startsAt);
  const end = new Date(start.getTime() + assumedHours * 3_600_000);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//MiniTickets//EN',
    'BEGIN:VEVENT',
    `UID:${event.id}@minitickets.example`,
    `DTSTAMP:${utc(now)}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(end)}`,
    `SUMMARY:${text(event.name)}`,
    `LOCATION:${text(event.venue)}`,
    `DESCRIPTION:${text(`${ticketCount} ${ticketCount === 1 ? 'ticket' : 'tickets'}: ${url}`)}`,
    `URL:${url}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

const utc = (at: Date) => at.toISOString().replace(/[-:]|\.\d+/g, '');

const text = (value: string) => value.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');

const maxOctets = 75;

/** Folds a line after at most 75 octets, as RFC 5545 requires, without splitting a character. */
function fold(line: string): string {
  const encoder = new TextEncoder();
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (octets + size > maxOctets) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}
