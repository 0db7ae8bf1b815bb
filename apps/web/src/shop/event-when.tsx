import { eventTime } from '../words/dates.ts';

/** When an event starts: on its own clock, and on the reader's where that differs. */
export function EventWhen({ startsAt, timeZone }: { startsAt: string; timeZone: string }) {
  const { there, here } = eventTime(startsAt, timeZone);
  return (
    <>
      <time dateTime={startsAt}>{there}</time>
      {here && <span className="block text-sm text-muted">{here} where you are</span>}
    </>
  );
}
