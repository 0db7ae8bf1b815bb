import type { Event } from '@minitickets/contract';
import type { EventDetails, TicketTypeDetails } from '../api/organiser-calls.ts';
import { amountText, minorFrom } from '../words/money.ts';
import { instantAt, wallTime } from '../words/zone-time.ts';

/** An event as it is typed. Times are those of the event's own clock. */
export interface EventForm {
  name: string;
  venue: string;
  timeZone: string;
  startsAt: string;
  salesOpenAt: string;
  salesCloseAt: string;
  maxPerUser: string;
}

export interface TicketTypeForm {
  name: string;
  price: string;
  capacity: string;
}

export type Errors<Form> = Partial<Record<keyof Form, string>>;

const dayMs = 86_400_000;

/** An event in a month, at eight in the evening, on sale from now on. */
export function newEventForm(timeZone: string, nowMs: number): EventForm {
  const startsAt = `${wallTime(nowMs + 30 * dayMs, timeZone).slice(0, 10)}T20:00`;
  return {
    name: '',
    venue: '',
    timeZone,
    startsAt,
    salesOpenAt: wallTime(nowMs, timeZone),
    salesCloseAt: startsAt,
    maxPerUser: '10',
  };
}

const times = ['startsAt', 'salesOpenAt', 'salesCloseAt'] as const;

/**
 * Takes a form to another time zone. A time that somebody typed is meant as typed, on the new clock; one that is still as it
 * was offered stays the same instant, which the new clock shows as another time.
 * @param offered the form as it began
 */
export function moveToZone(form: EventForm, offered: EventForm, timeZone: string): EventForm {
  const moved = { ...form, timeZone };
  for (const name of times) {
    const at = instantAt(offered[name], offered.timeZone);
    if (at !== undefined && form[name] === wallTime(at, form.timeZone)) moved[name] = wallTime(at, timeZone);
  }
  return moved;
}

export const eventForm = (event: Event): EventForm => ({
  name: event.name,
  venue: event.venue,
  timeZone: event.timeZone,
  startsAt: wallTime(event.startsAt, event.timeZone),
  salesOpenAt: wallTime(event.salesOpenAt, event.timeZone),
  salesCloseAt: wallTime(event.salesCloseAt, event.timeZone),
  maxPerUser: String(event.maxPerUser),
});

export const newTicketTypeForm: TicketTypeForm = { name: '', price: '', capacity: '' };

export const ticketTypeForm = (type: Event['ticketTypes'][number]): TicketTypeForm => ({
  name: type.name,
  price: amountText(type.priceMinor, type.currency),
  capacity: String(type.capacity),
});

type Read<Details, Form> = { details: Details; errors: Errors<Form> } | { details: null; errors: Errors<Form> };

/**
 * What was typed, or what is wrong with it.
 * @param opensAt when the sale opens, ISO 8601, where that is not the form's to say
 */
export function readEventForm(form: EventForm, opensAt?: string): Read<EventDetails, EventForm> {
  const errors: Errors<EventForm> = {};
  const instants = {
    startsAt: instantAt(form.startsAt, form.timeZone),
    salesOpenAt: opensAt ?? instantAt(form.salesOpenAt, form.timeZone),
    salesCloseAt: instantAt(form.salesCloseAt, form.timeZone),
  };
  if (form.name.trim() === '') errors.name = 'What is it called?';
  if (form.venue.trim() === '') errors.venue = 'Where is it?';
  const maxPerUser = wholeNumber(form.maxPerUser, 10);
  if (maxPerUser === undefined) errors.maxPerUser = 'A whole number from 1 to 10.';
  const { startsAt, salesOpenAt, salesCloseAt } = instants;
  if (startsAt === undefined) errors.startsAt = 'A date and a time.';
  if (salesOpenAt === undefined) errors.salesOpenAt = 'A date and a time.';
  if (salesCloseAt === undefined) errors.salesCloseAt = 'A date and a time.';
  else if (salesOpenAt !== undefined && salesCloseAt <= salesOpenAt) {
    errors.salesCloseAt = 'Later than the sale opens.';
  }
  if (
    Object.keys(errors).length > 0 ||
    startsAt === undefined ||
    salesOpenAt === undefined ||
    salesCloseAt === undefined ||
    maxPerUser === undefined
  ) {
    return { details: null, errors };
  }
  const { timeZone } = form;
  const details = {
    name: form.name.trim(),
    venue: form.venue.trim(),
    timeZone,
    startsAt,
    salesOpenAt,
    salesCloseAt,
    maxPerUser,
  };
  return { details, errors };
}

export function readTicketTypeForm(form: TicketTypeForm, currency: string): Read<TicketTypeDetails, TicketTypeForm> {
  const errors: Errors<TicketTypeForm> = {};
  const priceMinor = minorFrom(form.price, currency);
  const capacity = wholeNumber(form.capacity, 1_000_000);
  if (form.name.trim() === '') errors.name = 'What kind of place?';
  if (priceMinor === undefined) errors.price = `An amount of ${currency}, or 0.`;
  if (capacity === undefined) errors.capacity = 'A whole number from 1.';
  if (Object.keys(errors).length > 0 || priceMinor === undefined || capacity === undefined)
    return { details: null, errors };
  return { details: { name: form.name.trim(), priceMinor, capacity }, errors };
}

/** What of an event was changed: only that is sent, so that two people can edit it side by side. */
export function changedDetails(event: Event, details: EventDetails): Partial<EventDetails> {
  const same = (name: keyof EventDetails) =>
    // A field has no seconds: a time that was not touched keeps its own.
    name.endsWith('At')
      ? wallTime(details[name], details.timeZone) === wallTime(event[name], event.timeZone) &&
        details.timeZone === event.timeZone
      : details[name] === event[name];
  return Object.fromEntries(Object.entries(details).filter(([name]) => !same(name as keyof EventDetails)));
}

function wholeNumber(text: string, most: number): number | undefined {
  const number = Number(text.trim());
  return /^\d{1,9}$/.test(text.trim()) && number >= 1 && number <= most ? number : undefined;
}
