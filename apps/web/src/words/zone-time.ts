/**
 * Returns a time zone if the browser knows it, and UTC otherwise: the browser may be older than the zone (America/Coyhaique
 * dates from 2025), and a time labelled UTC is true in any browser.
 */
export function zoneOrUtc(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** Returns the local time of a zone at an instant, in the format of `datetime-local` fields: `2026-12-05T19:00`. */
export function wallTime(instant: string | number | Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(new Date(instant));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

const dayMs = 86_400_000;

/**
 * Returns the instant at which a zone's clock shows a local time, by the UTC offset of that date. In an hour that occurs
 * twice (clocks go back) it is the first; in an hour that does not occur (clocks go forward) it lies after the gap.
 * @param wall `2026-12-05T19:00`
 * @returns ISO 8601 in UTC; undefined if it is not a local time
 */
export function instantAt(wall: string, timeZone: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(wall)) return undefined;
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const before = asUtc - offsetMs(asUtc - dayMs, timeZone);
  const after = asUtc - offsetMs(asUtc + dayMs, timeZone);
  const shown = [Math.min(before, after), Math.max(before, after)].find((at) => wallTime(at, timeZone) === wall);
  return new Date(shown ?? before).toISOString();
}

/** Returns how far a zone's clock is ahead of UTC, in ms. */
function offsetMs(at: number, timeZone: string): number {
  const minute = Math.floor(at / 60_000) * 60_000;
  return Date.parse(`${wallTime(minute, timeZone)}Z`) - minute;
}
