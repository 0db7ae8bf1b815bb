import { foldText } from '@minitickets/contract';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type CheckedIn, checkIn, type DoorListEntry, doorListQuery } from '../api/organiser-calls.ts';
import { eventQuery } from '../api/queries.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { PageSkeleton, Skeleton } from '../interface/skeleton.tsx';
import { Organisers } from '../organise/organisers.tsx';
import { canScan, Scanner } from '../organise/scanner.tsx';
import { eventTime } from '../words/dates.ts';
import { NotFoundPage } from './not-found.tsx';

const route = getRouteApi('/organise/$event/door');

export function DoorPage() {
  const { event } = route.useParams();
  return <Organisers title="Door">{(user) => <Door id={event} admits={user.role === 'organiser'} />}</Organisers>;
}

function Door({ id, admits }: { id: string; admits: boolean }) {
  const event = useQuery(eventQuery(id));
  const list = useInfiniteQuery(doorListQuery(id));
  const [filter, setFilter] = useState('');
  const { fetchNextPage, hasNextPage, isFetching, isError } = list;
  // A search is over every ticket, so it loads the pages that are still missing, one after the other.
  const isSearchingOn = filter.trim() !== '' && hasNextPage && !isError;
  useEffect(() => {
    if (isSearchingOn && !isFetching) fetchNextPage().catch(() => undefined);
  }, [isSearchingOn, isFetching, fetchNextPage]);
  return (
    <Loaded query={event} waiting={<PageSkeleton />} missing={<NotFoundPage what="event" />}>
      {(found) => (
        <Page
          title={`Door: ${found.name}`}
          lead={
            <Link to="/organise" className="text-base font-semibold text-accent underline underline-offset-4">
              All your events
            </Link>
          }
        >
          <div className="grid items-start gap-4 lg:grid-cols-[22rem_1fr]">
            {found.status === 'cancelled' ? (
              <Notice tone="warn" title="This event is cancelled">
                <p>Nobody is admitted. Its tickets are no longer valid, and its buyers are refunded.</p>
              </Notice>
            ) : admits ? (
              <Admit eventId={id} timeZone={found.timeZone} entries={list.data} />
            ) : (
              <Notice tone="calm" title="View only">
                <p>Only the organiser of this event can admit tickets.</p>
              </Notice>
            )}
            <Card title="Door list">
              <Loaded query={list} waiting={<Skeleton className="h-40" />}>
                {(entries) => (
                  <DoorList
                    entries={entries}
                    filter={filter}
                    onFilter={setFilter}
                    isSearchingOn={isSearchingOn}
                    timeZone={found.timeZone}
                    more={<ShowMore list={list}>Show more tickets</ShowMore>}
                  />
                )}
              </Loaded>
            </Card>
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Admit({
  eventId,
  timeZone,
  entries,
}: {
  eventId: string;
  timeZone: string;
  entries: readonly DoorListEntry[] | undefined;
}) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [code, setCode] = useState('');
  const [admitted, setAdmitted] = useState<CheckedIn>();
  const refresh = () => client.invalidateQueries({ queryKey: doorListQuery(eventId).queryKey });
  const admitting = useWrite(
    checkIn,
    (ticket) => {
      setAdmitted(ticket);
      setCode('');
      announce(`Admitted. ${ticket.ticketTypeName}.`);
      return refresh();
    },
    () => {
      setAdmitted(undefined);
      // The next code is typed or scanned over this one.
      form.current?.querySelector('input')?.select();
      return refresh();
    },
  );
  const admit = (typed: string) => {
    const trimmed = typed.trim();
    if (trimmed !== '') admitting.run(trimmed);
  };
  const holder = admitted && nameOn(entries, admitted.ticketId);
  return (
    <Card title="Admit">
      {canScan && <Scanner onCode={admit} />}
      <form
        ref={form}
        noValidate
        className="space-y-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          admit(code);
        }}
      >
        <Field
          label="Ticket code"
          name="code"
          autoComplete="off"
          hint="Printed next to the QR code. A handheld scanner types it and presses Enter."
          value={code}
          onChange={setCode}
        />
        <Button type="submit" wide busy={admitting.busy} busyText="Checking">
          Admit
        </Button>
      </form>
      {admitting.problem && (
        <ProblemNotice problem={admitting.problem} action="checking_in" retry={admitting.retry} timeZone={timeZone} />
      )}
      {admitted && !admitting.problem && (
        <Notice tone="good" title={holder ? `Admitted: ${holder}` : 'Admitted'}>
          <p>
            {admitted.ticketTypeName}
            {admitted.eventId !== eventId && ', for another of your events'}
          </p>
        </Notice>
      )}
    </Card>
  );
}

const nameOn = (entries: readonly DoorListEntry[] | undefined, ticketId: string) =>
  entries?.find((entry) => entry.ticketId === ticketId)?.holderName;

function DoorList({
  entries,
  filter,
  onFilter,
  isSearchingOn,
  timeZone,
  more,
}: {
  entries: readonly DoorListEntry[];
  filter: string;
  onFilter: (filter: string) => void;
  /** Pages that the search has not seen yet are loading. */
  isSearchingOn: boolean;
  timeZone: string;
  more: React.ReactNode;
}) {
  const wanted = foldText(filter.trim());
  const shown = entries.filter(({ holderName }) => foldText(holderName).includes(wanted));
  const admittedCount = entries.filter(({ checkedInAt }) => checkedInAt !== null).length;
  if (entries.length === 0) return <p className="text-muted">No tickets sold yet.</p>;
  return (
    <>
      <p>
        <strong className="text-2xl tabular-nums">{admittedCount}</strong> of {entries.length}
        {more ? ' shown here' : ''} checked in.
      </p>
      <Field label="Find a name" name="holder" autoComplete="off" value={filter} onChange={onFilter} />
      <ul>
        {shown.map((entry) => (
          <li key={entry.ticketId} className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2">
            <span>
              <strong>{entry.holderName}</strong> <span className="text-muted">{entry.ticketTypeName}</span>
            </span>
            {entry.checkedInAt ? (
              <span className="font-semibold text-good">checked in {eventTime(entry.checkedInAt, timeZone).there}</span>
            ) : (
              <span className="text-muted">not checked in</span>
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="text-muted">
          {isSearchingOn
            ? 'Searching all tickets…'
            : more
              ? 'No ticket holder with that name among the tickets shown here.'
              : 'No ticket holder with that name.'}
        </p>
      )}
      {more}
    </>
  );
}
