import { expect, test } from 'vitest';
import { calendarEntry } from './calendar.ts';

const event = {
  id: '52652864-1586-486a-ac67-b0258ae53086',
  name: 'Strings; brass, and a \\ in Zürich',
  venue: 'Lakeside Park, Zürich',
  startsAt: '2026-10-24T18:00:00.000Z',
};
const options = { url: 'http://localhost:8080/bookings/1', now: new Date('2026-06-01T10:00:00.123Z'), ticketCount: 2 };

test('an entry starts at the event’s instant in UTC, and its texts are escaped', () => {
  const lines = calendarEntry(event, options).split('\r\n');
  expect(lines).toContain('DTSTART:20261024T180000Z');
  expect(lines).toContain('DTSTAMP:20260601T100000Z');
  expect(lines).toContain('SUMMARY:Strings\\; brass\\, and a \\\\ in Zürich');
  expect(lines).toContain('LOCATION:Lakeside Park\\, Zürich');
});

test('no line is longer than 75 octets, and unfolding restores the text', () => {
  const name = 'Ü'.repeat(120);
  const entry = calendarEntry({ ...event, name }, options);
  for (const line of entry.split('\r\n')) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
  expect(entry.replaceAll('\r\n ', '')).toContain(`SUMMARY:${name}\r\n`);
});

test('a line break in a name adds no line to the entry', () => {
  const entry = calendarEntry({ ...event, name: 'A\r\nATTENDEE:x' }, options);
  expect(entry).not.toContain('\r\nATTENDEE');
});
