import { eventTime } from '../words/dates.ts';

/** The start of an event in its own time zone, and in the reader's if the time differs there. */
export function EventWhen({ startsAt, timeZone }: { startsAt: string; timeZone: string }) {
  const { there, here } = eventTime(startsAt, timeZone);
  return (
    <>
      <time dateTime={startsAt}>{there}</time>
      {here && <span className="block text-sm text-muted">{here} your time</span>}
    </>
  );
}
