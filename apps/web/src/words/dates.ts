import { zoneOrUtc } from './zone-time.ts';

export interface EventTime {
  /** `Sat 5 December 2026, 19:00 CET`, in the event's time zone. */
  there: string;
  /** The same instant in the reader's time zone if the time differs there; with the date if that differs too. */
  here: string | undefined;
  /** For the date block of a card, in the event's time zone. */
  day: string;
  month: string;
}

/**
 * Formats an instant with the UTC offset of its own date, not of today's.
 * @param instant ISO 8601
 * @param timeZone the event's, from IANA
 * @param readerZone the reader's, from IANA
 */
export function eventTime(instant: string, timeZone: string, readerZone: string = browserZone()): EventTime {
  const at = new Date(instant);
  const zone = zoneOrUtc(timeZone);
  const reader = zoneOrUtc(readerZone);
  const there = { date: dateOf(at, zone), time: timeOf(at, zone) };
  const here = { date: dateOf(at, reader), time: timeOf(at, reader) };
  const same = there.date === here.date;
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at);
  return {
    there: `${there.date}, ${there.time} ${zoneName(at, zone)}`,
    here:
      same && there.time === here.time
        ? undefined
        : `${same ? '' : `${here.date}, `}${here.time} ${zoneName(at, reader)}`,
    day: part({ day: 'numeric' }),
    month: part({ month: 'short' }),
  };
}

/** Replaces the ISO 8601 instants in a sentence of the API by readable times in a time zone. */
export const withTimesOf = (timeZone: string | undefined, sentence: string): string =>
  sentence.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) =>
    Number.isNaN(Date.parse(instant)) ? instant : eventTime(instant, timeZone ?? browserZone()).there,
  );

/** `Sat 5 December 2026, 19:00`, in the reader's time zone. */
export const readerTime = (instant: string, readerZone: string = browserZone()): string =>
  `${dateOf(new Date(instant), zoneOrUtc(readerZone))}, ${timeOf(new Date(instant), zoneOrUtc(readerZone))}`;

function dateOf(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
    .format(at)
    .replace(',', '');
}

const timeOf = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);

function zoneName(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' }).formatToParts(at);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}

const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
