import { timeZoneNames } from '@minitickets/contract';
import { useState } from 'react';
import { Field } from '../interface/field.tsx';
import { Select } from '../interface/select.tsx';
import { zoneOrUtc } from '../words/zone-time.ts';
import type { Errors, EventForm, TicketTypeForm } from './event-form.ts';

/** Returns IANA's time zones, without those whose clock this browser does not know. It takes a while: once for each form. */
const zoneOptions = () =>
  timeZoneNames.filter((zone) => zoneOrUtc(zone) === zone).map((zone) => [zone, zone.replaceAll('_', ' ')] as const);

/** What an event is, where, and when, on the clock of its own time zone. */
export function EventFields({
  form,
  errors,
  opensAtOnce = false,
  onChange,
}: {
  form: EventForm;
  errors: Errors<EventForm>;
  /** The sale does not wait for a time that is typed. */
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
        hint="All times here are this zone’s."
      />
      {text('startsAt', 'Starts', { type: 'datetime-local' })}
      {!opensAtOnce && text('salesOpenAt', 'Sale opens', { type: 'datetime-local' })}
      {text('salesCloseAt', 'Sale closes', { type: 'datetime-local' })}
      {text('maxPerUser', 'Places per person, at most', { inputMode: 'numeric' })}
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
      {text('name', 'Kind of place')}
      {text('price', `Price in ${currency}`, 'decimal')}
      {text('capacity', 'How many', 'numeric')}
    </div>
  );
}
