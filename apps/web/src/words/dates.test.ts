import { expect, test } from 'vitest';
import { eventTime, readerTime } from './dates.ts';

test('an event is shown with the UTC offset of its own date: a November evening in winter time, even when read in October', () => {
  expect(eventTime('2026-10-24T18:00:00Z', 'Europe/Berlin', 'Europe/Berlin').there).toBe(
    'Sat 24 October 2026, 20:00 CEST',
  );
  expect(eventTime('2026-11-07T18:00:00Z', 'Europe/Berlin', 'Europe/Berlin').there).toBe(
    'Sat 7 November 2026, 19:00 CET',
  );
});

test('a reader with the same clock time sees one time', () => {
  expect(eventTime('2026-12-05T18:00:00Z', 'Europe/Berlin', 'Europe/Zurich').here).toBeUndefined();
});

test('a reader in another time zone sees both times, and both dates when they differ', () => {
  expect(eventTime('2026-12-05T18:00:00Z', 'Europe/Berlin', 'Europe/London').here).toBe('18:00 GMT');
  expect(eventTime('2026-12-05T18:00:00Z', 'Europe/Berlin', 'Asia/Tokyo').here).toBe(
    'Sun 6 December 2026, 03:00 GMT+9',
  );
});

test('the date block shows the day at the venue, not at the reader', () => {
  expect(eventTime('2026-12-31T23:30:00Z', 'Europe/Berlin', 'America/New_York')).toMatchObject({
    day: '1',
    month: 'Jan',
  });
});

test('a time zone unknown to the browser is shown in UTC and labelled so', () => {
  expect(eventTime('2026-12-05T18:00:00Z', 'Mars/Olympus', 'UTC').there).toBe('Sat 5 December 2026, 18:00 UTC');
});

test('an instant without an event is shown in the reader’s time zone', () => {
  expect(readerTime('2026-07-01T22:30:00Z', 'Europe/Berlin')).toBe('Thu 2 July 2026, 00:30');
});
