import type { Event } from '@minitickets/contract';

/** An event tells no end; a calendar needs one to show it as what it is. */
const shownHours = 3;

/**
 * A calendar entry for an event (RFC 5545). Times are in UTC, so that a calendar needs to know nothing of time zones and
 * shows the right hour wherever it is.
 * @param url the booking's, to come back to the tickets
 * @param now when the entry is made
 */
export function calendarEntry(
  event: Pick<Event, 'id' | 'name' | 'venue' | 'startsAt'>,
  { url, now, places }: { url: string; now: Date; places: number },
): string {
  const start = new Date(event.startsAt);
  const end = new Date(start.getTime() + shownHours * 3_600_000);
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
    `DESCRIPTION:${text(`${places} ${places === 1 ? 'ticket' : 'tickets'}: ${url}`)}`,
    `URL:${url}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

const utc = (at: Date) => at.toISOString().replace(/[-:]|\.\d+/g, '');

const text = (value: string) => value.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');

const maxOctets = 75;

/** A line has at most 75 octets; what is longer goes on after a break and a blank. No character is cut in two. */
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
