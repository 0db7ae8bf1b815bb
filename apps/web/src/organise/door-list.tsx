import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { admissionsQuery, type DoorListEntry, doorListQuery } from '../api/organiser-calls.ts';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { eventTime } from '../words/dates.ts';

/** Shorter than a glance at the screen, longer than the pause between two letters. */
const searchDelayMs = 250;

/** The tickets of an event, by the name of their holder. The search runs on the server, over every ticket. */
export function DoorList({ eventId, timeZone }: { eventId: string; timeZone: string }) {
  const [typed, setTyped] = useState('');
  const search = useSettled(typed.trim(), searchDelayMs);
  const admissions = useQuery(admissionsQuery(eventId));
  const list = useInfiniteQuery({ ...doorListQuery(eventId, search), placeholderData: keepPreviousData });
  return (
    <Card title="Door list">
      <Loaded query={admissions} waiting={<Skeleton className="h-40" />}>
        {({ total, checkedIn }) =>
          total === 0 ? (
            <p className="text-muted">No tickets sold yet.</p>
          ) : (
            <>
              <p>
                <strong className="text-2xl tabular-nums">{checkedIn}</strong> of {total} checked in.
              </p>
              <Field
                label="Find a name"
                name="holder"
                autoComplete="off"
                hint="Accents and capitals make no difference."
                value={typed}
                onChange={setTyped}
              />
              <Loaded query={list} waiting={<Skeleton className="h-40" />}>
                {(entries) => <Holders entries={entries} timeZone={timeZone} />}
              </Loaded>
              <ShowMore list={list}>Show more tickets</ShowMore>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Holders({ entries, timeZone }: { entries: readonly DoorListEntry[]; timeZone: string }) {
  if (entries.length === 0) return <p className="text-muted">No ticket holder with that name.</p>;
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.ticketId} className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2">
          <span className="min-w-0">
            <strong>{entry.holderName}</strong> <span className="text-muted">{entry.ticketTypeName}</span>
            <span className="block text-sm wrap-anywhere text-muted">
              {entry.holderEmail}, booking {entry.bookingId.slice(0, 8)}
            </span>
          </span>
          {entry.checkedInAt ? (
            <span className="font-semibold text-good">checked in {eventTime(entry.checkedInAt, timeZone).there}</span>
          ) : (
            <span className="text-muted">not checked in</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Debounces a value: returns the last one that has not changed for `ms` milliseconds. */
function useSettled(value: string, ms: number) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
