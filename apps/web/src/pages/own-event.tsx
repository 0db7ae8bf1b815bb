import type { Event, EventStatus } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { changeEvent } from '../api/organiser-calls.ts';
import { eventQuery } from '../api/queries.ts';
import { serverClock } from '../api/server-clock.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button, buttonClass } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Modal } from '../interface/modal.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { PageSkeleton } from '../interface/skeleton.tsx';
import { EventFields } from '../organise/event-fields.tsx';
import { changedDetails, eventForm, readEventForm } from '../organise/event-form.ts';
import { Organisers } from '../organise/organisers.tsx';
import { saleWords } from '../organise/sale-words.ts';
import { Sales } from '../organise/sales.tsx';
import { TicketTypes } from '../organise/ticket-types.tsx';
import { saleEndOf } from '../words/availability.ts';
import { eventTime } from '../words/dates.ts';
import { NotFoundPage } from './not-found.tsx';

const route = getRouteApi('/organise/$event');

export function OwnEventPage() {
  const { event } = route.useParams();
  return <Organisers title="Organise">{() => <OwnEvent key={event} id={event} />}</Organisers>;
}

/** The editor of an event, or what is left of it once the event is cancelled. */
export function OwnEvent({ id }: { id: string }) {
  const query = useQuery(eventQuery(id));
  return (
    <Loaded query={query} waiting={<PageSkeleton />} missing={<NotFoundPage what="event" />}>
      {(event) => (
        <Page title={event.name} lead={<SaleNow event={event} />}>
          <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
            <div className="min-w-0 space-y-4">
              {event.status === 'cancelled' ? (
                <Notice tone="calm" title="View only">
                  <p>This event is cancelled and can’t be changed. Every paid booking is refunded in full.</p>
                </Notice>
              ) : (
                <>
                  <Details event={event} />
                  <TicketTypes event={event} />
                </>
              )}
            </div>
            <div className="space-y-4">
              <Card title="Sales">
                <Sales ticketTypes={event.ticketTypes} />
                <div className="flex flex-wrap gap-2">
                  <Link to="/organise/$event/door" params={{ event: event.id }} className={buttonClass('quiet')}>
                    Door list
                  </Link>
                  <Link to="/events/$slug" params={{ slug: event.slug }} className={buttonClass('quiet')}>
                    View in shop
                  </Link>
                </div>
              </Card>
              <Status event={event} />
            </div>
          </div>
        </Page>
      )}
    </Loaded>
  );
}

/** The state of the event; it updates when the sale opens and when it closes. */
function SaleNow({ event }: { event: Event }) {
  useSecondsLeft(Date.parse(event.salesOpenAt));
  useSecondsLeft(Date.parse(saleEndOf(event)));
  return saleWords(event, serverClock.now());
}

/** Returns a function that updates the cached event from the API's response and refetches the lists. */
function useUpdateCachedEvent() {
  const client = useQueryClient();
  return (event: Event) => {
    client.setQueryData(eventQuery(event.id).queryKey, event);
    client.invalidateQueries({ queryKey: ['organise'] }).catch(() => undefined);
    client.invalidateQueries({ queryKey: ['events'] }).catch(() => undefined);
  };
}

function Details({ event }: { event: Event }) {
  const [form, setForm] = useState(() => eventForm(event));
  const [saved, setSaved] = useState(false);
  const updateCache = useUpdateCachedEvent();
  const saving = useWrite(changeEvent, (changed) => {
    updateCache(changed);
    setForm(eventForm(changed));
    setSaved(true);
    announce('Saved.');
  });
  const { details, errors } = readEventForm(form);
  const change = details ? changedDetails(event, details) : {};
  const changes = Object.keys(change).length > 0;
  return (
    <Card title="The event">
      <form
        noValidate
        className="space-y-4"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (details && changes) saving.run({ id: event.id, change });
        }}
      >
        <EventFields
          form={form}
          errors={errors}
          onChange={(typed) => {
            setSaved(false);
            setForm(typed);
          }}
        />
        {saving.problem && <ProblemNotice problem={saving.problem} action="changing" retry={saving.retry} />}
        {saved && !changes && <Notice tone="good" title="Saved" />}
        <Button type="submit" busy={saving.busy} busyText="Saving" blocked={!changes}>
          Save changes
        </Button>
      </form>
    </Card>
  );
}

function Status({ event }: { event: Event }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const updateCache = useUpdateCachedEvent();
  const changing = useWrite(changeEvent, (changed) => {
    updateCache(changed);
    setIsConfirming(false);
    announce(saleWords(changed, serverClock.now()));
  });
  const opensLater = useSecondsLeft(Date.parse(event.salesOpenAt)) > 0;
  const setStatus = (status: EventStatus) => changing.run({ id: event.id, change: { status } });
  if (event.status === 'cancelled') return null;
  const problem = changing.problem && (
    <ProblemNotice problem={changing.problem} action="changing" retry={changing.retry} />
  );
  return (
    <Card title="Status">
      {!isConfirming && problem}
      {event.status === 'draft' && opensLater && (
        <p>You can publish it now. Sales open on {eventTime(event.salesOpenAt, event.timeZone).there}.</p>
      )}
      <div className="flex flex-wrap gap-2">
        {event.status === 'draft' && (
          <Button busy={changing.busy} busyText="Publishing" onClick={() => setStatus('on_sale')}>
            {opensLater ? 'Publish now' : 'Start selling now'}
          </Button>
        )}
        <Button look="danger" onClick={() => setIsConfirming(true)}>
          Cancel event
        </Button>
      </div>
      {isConfirming && (
        <Modal title={`Cancel “${event.name}”?`} onClose={() => setIsConfirming(false)}>
          <p>
            Ticket sales stop, all tickets become invalid, and every paid booking is refunded in full. The event’s page
            says that it was cancelled. You can’t undo this.
          </p>
          {problem}
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="quiet" onClick={() => setIsConfirming(false)}>
              Keep event
            </Button>
            <Button look="danger" busy={changing.busy} busyText="Cancelling" onClick={() => setStatus('cancelled')}>
              Cancel event
            </Button>
          </div>
        </Modal>
      )}
    </Card>
  );
}
