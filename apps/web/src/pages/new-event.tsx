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

/** The browser's own time zone, if it is one of IANA's. */
function browserZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

export function NewEventPage() {
  return <Organisers title="A new event">{() => <NewEvent />}</Organisers>;
}

function NewEvent() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [offered] = useState(() => newEventForm(browserZone(), serverClock.now()));
  const [event, setEvent] = useState(offered);
  const [currency, setCurrency] = useState('EUR');
  const [types, setTypes] = useState([{ id: 0, form: newTicketTypeForm }]);
  const [atOnce, setAtOnce] = useState(true);
  const [shownBefore, setShownBefore] = useState(false);
  const [checked, setChecked] = useState(false);
  const creating = useWrite(createEvent, async (created) => {
    client.invalidateQueries({ queryKey: ['organise'] }).catch(() => undefined);
    client.invalidateQueries({ queryKey: ['events'] }).catch(() => undefined);
    announce(`“${created.name}” is there.`);
    await navigate({ to: '/organise/$event', params: { event: created.id } });
  });

  const read = readEventForm(event, atOnce ? new Date(serverClock.now()).toISOString() : undefined);
  const readTypes = types.map((type) => ({ ...type, ...readTicketTypeForm(type.form, currency) }));

  const submit = () => {
    setChecked(true);
    const ticketTypes = readTypes.flatMap(({ details }) => (details ? [{ ...details, currency }] : []));
    if (read.details && ticketTypes.length === types.length) {
      creating.run({ ...read.details, status: atOnce || shownBefore ? 'on_sale' : 'draft', ticketTypes });
      return;
    }
    // After the marks are rendered.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };

  return (
    <Page title="A new event">
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
            opensAtOnce={atOnce}
            onChange={(typed) =>
              setEvent(typed.timeZone === event.timeZone ? typed : moveToZone(event, offered, typed.timeZone))
            }
          />
          <div>
            <Checkbox label="Put it on sale at once" checked={atOnce} onChange={setAtOnce} />
            {!atOnce && (
              <Checkbox
                label="Show it in the shop before that too; otherwise it stays a draft"
                checked={shownBefore}
                onChange={setShownBefore}
              />
            )}
          </div>
        </Card>
        <Card title="Its places">
          <div className="max-w-48">
            <Select label="Currency" value={currency} options={currencies} onChange={setCurrency} />
          </div>
          {readTypes.map((type) => (
            <fieldset key={type.id} className="space-y-2 border-t border-line pt-3">
              <legend className="sr-only">A kind of place</legend>
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
                  Leave this kind out
                </Button>
              )}
            </fieldset>
          ))}
          <Button
            look="quiet"
            blocked={types.length >= 50}
            onClick={() => setTypes([...types, { id: (types.at(-1)?.id ?? 0) + 1, form: newTicketTypeForm }])}
          >
            Another kind of place
          </Button>
        </Card>
        {creating.problem && <ProblemNotice problem={creating.problem} doing="changing" again={creating.again} />}
        <Button type="submit" busy={creating.busy} busyText="Creating it">
          Create the event
        </Button>
      </form>
    </Page>
  );
}
