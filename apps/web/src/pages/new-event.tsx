import { currencyCodes, isTimeZone } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { createEvent } from '../api/organiser-calls.ts';
import { serverClock } from '../api/server-clock.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Checkbox } from '../interface/checkbox.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import { Select } from '../interface/select.tsx';
import { EventFields, TicketTypeFields } from '../organise/event-fields.tsx';
import {
  moveToZone,
  newEventForm,
  newTicketTypeForm,
  readEventForm,
  readTicketTypeForm,
} from '../organise/event-form.ts';
import { Organisers } from '../organise/organisers.tsx';

const currencies = currencyCodes.map((code) => [code, code] as const);

/** Returns the browser's time zone, or UTC if it is not an IANA zone. */
function browserZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

export function NewEventPage() {
  return <Organisers title="New event">{() => <NewEvent />}</Organisers>;
}

function NewEvent() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [offered] = useState(() => newEventForm(browserZone(), serverClock.now()));
  const [event, setEvent] = useState(offered);
  const [currency, setCurrency] = useState('EUR');
  const [types, setTypes] = useState([{ id: 0, form: newTicketTypeForm }]);
  const [sellNow, setSellNow] = useState(true);
  const [publishNow, setPublishNow] = useState(false);
  const [checked, setChecked] = useState(false);
  const creating = useWrite(createEvent, async (created) => {
    client.invalidateQueries({ queryKey: ['organise'] }).catch(() => undefined);
    client.invalidateQueries({ queryKey: ['events'] }).catch(() => undefined);
    announce(`Created “${created.name}”.`);
    await navigate({ to: '/organise/$event', params: { event: created.id } });
  });

  const read = readEventForm(event, sellNow ? new Date(serverClock.now()).toISOString() : undefined);
  const readTypes = types.map((type) => ({ ...type, ...readTicketTypeForm(type.form, currency) }));

  const submit = () => {
    setChecked(true);
    const ticketTypes = readTypes.flatMap(({ details }) => (details ? [{ ...details, currency }] : []));
    if (read.details && ticketTypes.length === types.length) {
      creating.run({ ...read.details, status: sellNow || publishNow ? 'on_sale' : 'draft', ticketTypes });
      return;
    }
    // Once the error marks are rendered.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };

  return (
    <Page title="New event">
      <form
        ref={form}
        noValidate
        className="max-w-3xl space-y-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          submit();
        }}
      >
        <Card title="The event">
          <EventFields
            form={event}
            errors={checked ? read.errors : {}}
            opensAtOnce={sellNow}
            onChange={(typed) =>
              setEvent(typed.timeZone === event.timeZone ? typed : moveToZone(event, offered, typed.timeZone))
            }
          />
          <div>
            <Checkbox label="Start selling now" checked={sellNow} onChange={setSellNow} />
            {!sellNow && (
              <Checkbox
                label="Publish the event now; otherwise it stays a draft"
                checked={publishNow}
                onChange={setPublishNow}
              />
            )}
          </div>
        </Card>
        <Card title="Ticket types">
          <div className="max-w-48">
            <Select label="Currency" value={currency} options={currencies} onChange={setCurrency} />
          </div>
          {readTypes.map((type) => (
            <fieldset key={type.id} className="space-y-2 border-t border-line pt-3">
              <legend className="sr-only">A ticket type</legend>
              <TicketTypeFields
                form={type.form}
                errors={checked ? type.errors : {}}
                currency={currency}
                onChange={(changed) =>
                  setTypes(types.map((one) => (one.id === type.id ? { ...one, form: changed } : one)))
                }
              />
              {types.length > 1 && (
                <Button look="quiet" onClick={() => setTypes(types.filter((one) => one.id !== type.id))}>
                  Remove ticket type
                </Button>
              )}
            </fieldset>
          ))}
          <Button
            look="quiet"
            blocked={types.length >= 50}
            onClick={() => setTypes([...types, { id: (types.at(-1)?.id ?? 0) + 1, form: newTicketTypeForm }])}
          >
            Add a ticket type
          </Button>
        </Card>
        {creating.problem && <ProblemNotice problem={creating.problem} action="changing" retry={creating.retry} />}
        <Button type="submit" busy={creating.busy} busyText="Creating the event">
          Create event
        </Button>
      </form>
    </Page>
  );
}
