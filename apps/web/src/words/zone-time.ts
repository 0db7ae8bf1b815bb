/**
 * Returns a zone if this browser knows it, and UTC otherwise: it may be older than the zone (America/Coyhaique is of 2025), and
 * a time that says UTC is true in any browser.
 */
export function zoneOrUtc(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** What the clock of a zone shows at an instant, as `datetime-local` fields write it: `2026-12-05T19:00`. */
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
 * The instant at which the clock of a zone shows this, by the offset of that date. Of an hour that comes twice it is the
 * first one; an hour that is left out is read with the offset before it, so that it lies after the gap.
 * @param wall `2026-12-05T19:00`
 * @returns ISO 8601 in UTC; undefined if it is no time
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

/** How far the clock of a zone is ahead of UTC, in ms. */
function offsetMs(at: number, timeZone: string): number {
  const minute = Math.floor(at / 60_000) * 60_000;
  return Date.parse(`${wallTime(minute, timeZone)}Z`) - minute;
}
