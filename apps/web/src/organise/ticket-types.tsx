import type { Event, TicketType } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addTicketType, changeTicketType } from '../api/organiser-calls.ts';
import { eventQuery } from '../api/queries.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { TicketTypeFields } from './event-fields.tsx';
import { newTicketTypeForm, readTicketTypeForm, ticketTypeForm } from './event-form.ts';

/** Edits the ticket types of an event and adds new ones. */
export function TicketTypes({ event }: { event: Event }) {
  const currency = event.ticketTypes[0]?.currency ?? 'EUR';
  return (
    <Card title="Ticket types">
      {event.ticketTypes.map((type) => (
        <EditType key={type.id} event={event} type={type} />
      ))}
      <AddType event={event} currency={currency} />
    </Card>
  );
}

function useRefresh(event: Event, sentence: (type: TicketType) => string) {
  const client = useQueryClient();
  return (type: TicketType) => {
    announce(sentence(type));
    client.invalidateQueries({ queryKey: ['organise'] }).catch(() => undefined);
    return client.invalidateQueries({ queryKey: eventQuery(event.id).queryKey });
  };
}

function EditType({ event, type }: { event: Event; type: TicketType }) {
  const [form, setForm] = useState(() => ticketTypeForm(type));
  const saving = useWrite(
    changeTicketType,
    useRefresh(event, ({ name }) => `Saved “${name}”.`),
  );
  const { details, errors } = readTicketTypeForm(form, type.currency);
  const change = details
    ? {
        ...(details.name !== type.name && { name: details.name }),
        ...(details.priceMinor !== type.priceMinor && { priceMinor: details.priceMinor }),
        ...(details.capacity !== type.capacity && { capacity: details.capacity }),
      }
    : {};
  const changes = Object.keys(change).length > 0;
  return (
    <form
      noValidate
      aria-label={type.name}
      className="space-y-3 border-t border-line pt-3 first-of-type:border-t-0 first-of-type:pt-0"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (changes) saving.run({ eventId: event.id, id: type.id, change });
      }}
    >
      <TicketTypeFields form={form} errors={errors} currency={type.currency} onChange={setForm} />
      {saving.problem && <ProblemNotice problem={saving.problem} action="changing" retry={saving.retry} />}
      {changes && (
        <Button type="submit" busy={saving.busy} busyText="Saving">
          Save “{type.name}”
        </Button>
      )}
    </form>
  );
}

function AddType({ event, currency }: { event: Event; currency: string }) {
  const [form, setForm] = useState(newTicketTypeForm);
  const [checked, setChecked] = useState(false);
  const refresh = useRefresh(event, ({ name }) => `Added “${name}”.`);
  const adding = useWrite(addTicketType, (type) => {
    setForm(newTicketTypeForm);
    setChecked(false);
    return refresh(type);
  });
  const { details, errors } = readTicketTypeForm(form, currency);
  return (
    <details className="border-t border-line pt-3">
      <summary className="min-h-11 py-2 font-semibold">Add a ticket type</summary>
      <form
        noValidate
        className="space-y-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          setChecked(true);
          if (details) adding.run({ eventId: event.id, ticketType: { ...details, currency } });
        }}
      >
        <TicketTypeFields form={form} errors={checked ? errors : {}} currency={currency} onChange={setForm} />
        {adding.problem && <ProblemNotice problem={adding.problem} action="changing" retry={adding.retry} />}
        <Button type="submit" look="quiet" busy={adding.busy} busyText="Adding">
          Add ticket type
        </Button>
      </form>
    </details>
  );
}
