import { type Event, isVisibleText, maxPriceMinor } from '@minitickets/contract';
import type { EventDetails, TicketTypeDetails } from '../api/organiser-calls.ts';
import { amountText, minorFrom, money } from '../words/money.ts';
import { instantAt, wallTime, zoneOrUtc } from '../words/zone-time.ts';

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

/** The event as it stands. In a zone that this browser does not know, its times are shown and typed in UTC. */
export function eventForm(event: Event): EventForm {
  const timeZone = zoneOrUtc(event.timeZone);
  return {
    name: event.name,
    venue: event.venue,
    timeZone,
    startsAt: wallTime(event.startsAt, timeZone),
    salesOpenAt: wallTime(event.salesOpenAt, timeZone),
    salesCloseAt: wallTime(event.salesCloseAt, timeZone),
    maxPerUser: String(event.maxPerUser),
  };
}

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
  if (!isName(form.name)) errors.name = nameError(form.name, 'What is it called?');
  if (!isName(form.venue)) errors.venue = nameError(form.venue, 'Where is it?');
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
  if (!isName(form.name)) errors.name = nameError(form.name, 'What kind of place?');
  if (priceMinor === undefined) errors.price = `An amount of ${currency}, or 0.`;
  else if (priceMinor > maxPriceMinor(currency)) {
    errors.price = `At most ${money(maxPriceMinor(currency), currency)}.`;
  }
  if (capacity === undefined) errors.capacity = 'A whole number from 1.';
  if (Object.keys(errors).length > 0 || priceMinor === undefined || capacity === undefined)
    return { details: null, errors };
  return { details: { name: form.name.trim(), priceMinor, capacity }, errors };
}

/** Returns what of an event was changed: only that is sent, so that two people can edit it side by side. */
export function changedDetails(event: Event, details: EventDetails): Partial<EventDetails> {
  const shownZone = zoneOrUtc(event.timeZone);
  const same = (name: keyof EventDetails) => {
    // A field has no seconds: a time that was not touched keeps its own.
    if (name.endsWith('At')) {
      return details.timeZone === shownZone && wallTime(details[name], shownZone) === wallTime(event[name], shownZone);
    }
    return details[name] === (name === 'timeZone' ? shownZone : event[name]);
  };
  return Object.fromEntries(Object.entries(details).filter(([name]) => !same(name as keyof EventDetails)));
}

const MAX_NAME_LENGTH = 120;

/** Whether the API takes this as the name of an event, a venue or a kind of place. */
const isName = (text: string) => isVisibleText(text.trim()) && text.trim().length <= MAX_NAME_LENGTH;

function nameError(text: string, question: string): string {
  if (text.trim() === '') return question;
  if (text.trim().length > MAX_NAME_LENGTH) return `At most ${MAX_NAME_LENGTH} characters.`;
  return 'Only characters that people can see.';
}

function wholeNumber(text: string, most: number): number | undefined {
  const number = Number(text.trim());
  return /^\d{1,9}$/.test(text.trim()) && number >= 1 && number <= most ? number : undefined;
}
