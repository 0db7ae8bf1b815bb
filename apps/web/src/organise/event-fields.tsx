import { timeZoneNames } from '@minitickets/contract';
import { useState } from 'react';
import { Field } from '../interface/field.tsx';
import { Select } from '../interface/select.tsx';
import { zoneOrUtc } from '../words/zone-time.ts';
import type { Errors, EventForm, TicketTypeForm } from './event-form.ts';

/** Returns the IANA time zones that this browser knows. Slow, so each form calls it once. */
const zoneOptions = () =>
  timeZoneNames.filter((zone) => zoneOrUtc(zone) === zone).map((zone) => [zone, zone.replaceAll('_', ' ')] as const);

/** The fields of an event. Times are in its own time zone. */
export function EventFields({
  form,
  errors,
  opensAtOnce = false,
  onChange,
}: {
  form: EventForm;
  errors: Errors<EventForm>;
  /** The sale opens as soon as the event is created, so no opening time is asked for. */
  opensAtOnce?: boolean;
  onChange: (form: EventForm) => void;
}) {
  const [zones] = useState(zoneOptions);
  const text = (
    name: keyof EventForm,
    label: string,
    more: { type?: 'datetime-local'; hint?: string; inputMode?: 'numeric' } = {},
  ) => (
    <Field
      label={label}
      name={name}
      autoComplete="off"
      error={errors[name]}
      value={form[name]}
      onChange={(typed) => onChange({ ...form, [name]: typed })}
      {...more}
    />
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {text('name', 'Name')}
      {text('venue', 'Venue')}
      <Select
        label="Time zone"
        value={form.timeZone}
        options={zones}
        onChange={(timeZone) => onChange({ ...form, timeZone })}
        hint="All times below are in this time zone."
      />
      {text('startsAt', 'Starts', { type: 'datetime-local' })}
      {!opensAtOnce && text('salesOpenAt', 'Sale opens', { type: 'datetime-local' })}
      {text('salesCloseAt', 'Sale closes', { type: 'datetime-local' })}
      {text('maxPerUser', 'Maximum tickets per person', { inputMode: 'numeric' })}
    </div>
  );
}

export function TicketTypeFields({
  form,
  errors,
  currency,
  onChange,
}: {
  form: TicketTypeForm;
  errors: Errors<TicketTypeForm>;
  currency: string;
  onChange: (form: TicketTypeForm) => void;
}) {
  const text = (name: keyof TicketTypeForm, label: string, inputMode?: 'numeric' | 'decimal') => (
    <Field
      label={label}
      name={name}
      autoComplete="off"
      {...(inputMode && { inputMode })}
      error={errors[name]}
      value={form[name]}
      onChange={(typed) => onChange({ ...form, [name]: typed })}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-[2fr_1fr_1fr]">
      {text('name', 'Ticket type')}
      {text('price', `Price in ${currency}`, 'decimal')}
      {text('capacity', 'Number of tickets', 'numeric')}
    </div>
  );
}
