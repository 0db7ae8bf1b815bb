import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type CheckedIn, checkIn, doorKey } from '../api/organiser-calls.ts';
import { eventQuery } from '../api/queries.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';
import { DoorList } from '../organise/door-list.tsx';
import { Organisers } from '../organise/organisers.tsx';
import { canScan, Scanner } from '../organise/scanner.tsx';
import { NotFoundPage } from './not-found.tsx';

const route = getRouteApi('/organise/$event/door');

export function DoorPage() {
  const { event } = route.useParams();
  return <Organisers title="Door">{(user) => <Door id={event} admits={user.role === 'organiser'} />}</Organisers>;
}

function Door({ id, admits }: { id: string; admits: boolean }) {
  const event = useQuery(eventQuery(id));
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
              <Admit eventId={id} timeZone={found.timeZone} />
            ) : (
              <Notice tone="calm" title="View only">
                <p>Only the organiser of this event can admit tickets.</p>
              </Notice>
            )}
            <DoorList eventId={id} timeZone={found.timeZone} />
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Admit({ eventId, timeZone }: { eventId: string; timeZone: string }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [code, setCode] = useState('');
  const [admitted, setAdmitted] = useState<CheckedIn>();
  const refresh = () => client.invalidateQueries({ queryKey: doorKey(eventId) });
  const admitting = useWrite(
    checkIn,
    (ticket) => {
      setAdmitted(ticket);
      setCode('');
      announce(`Admitted: ${ticket.holderName}. ${ticket.ticketTypeName}.`);
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
        <Notice tone="good" title={`Admitted: ${admitted.holderName}`}>
          <p>
            {admitted.ticketTypeName}
            {admitted.eventId !== eventId && ', for another of your events'}
          </p>
        </Notice>
      )}
    </Card>
  );
}
