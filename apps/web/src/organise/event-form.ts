import { type Event, isVisibleText, maxPriceMinor } from '@minitickets/contract';
import type { EventDetails, TicketTypeDetails } from '../api/organiser-calls.ts';
import { amountText, minorFrom, money } from '../words/money.ts';
import { instantAt, wallTime, zoneOrUtc } from '../words/zone-time.ts';

/** An event as typed into the form. Times are local times in its own time zone. */
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

/** Returns the initial form: an event in 30 days at 20:00, on sale from now on. */
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
 * Returns the form in another time zone. A time that the organiser typed keeps its clock time; a suggested time that was
 * not edited keeps its instant, so its clock time changes.
 * @param offered the initial form
 */
export function moveToZone(form: EventForm, offered: EventForm, timeZone: string): EventForm {
  const moved = { ...form, timeZone };
  for (const name of times) {
    const at = instantAt(offered[name], offered.timeZone);
    if (at !== undefined && form[name] === wallTime(at, form.timeZone)) moved[name] = wallTime(at, timeZone);
  }
  return moved;
}

/** Returns the form for an existing event. In a time zone unknown to the browser, times are shown and typed in UTC. */
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
 * Parses the form into the event's details, or returns an error message for each invalid field.
 * @param opensAt when the sale opens, ISO 8601, if the form does not say
 */
export function readEventForm(form: EventForm, opensAt?: string): Read<EventDetails, EventForm> {
  const errors: Errors<EventForm> = {};
  const instants = {
    startsAt: instantAt(form.startsAt, form.timeZone),
    salesOpenAt: opensAt ?? instantAt(form.salesOpenAt, form.timeZone),
    salesCloseAt: instantAt(form.salesCloseAt, form.timeZone),
  };
  if (!isName(form.name)) errors.name = nameError(form.name, 'Enter the name of the event.');
  if (!isName(form.venue)) errors.venue = nameError(form.venue, 'Enter the venue.');
  const maxPerUser = wholeNumber(form.maxPerUser, 10);
  if (maxPerUser === undefined) errors.maxPerUser = 'Enter a whole number from 1 to 10.';
  const { startsAt, salesOpenAt, salesCloseAt } = instants;
  if (startsAt === undefined) errors.startsAt = 'Enter a date and a time.';
  if (salesOpenAt === undefined) errors.salesOpenAt = 'Enter a date and a time.';
  if (salesCloseAt === undefined) errors.salesCloseAt = 'Enter a date and a time.';
  else if (salesOpenAt !== undefined && salesCloseAt <= salesOpenAt) {
    errors.salesCloseAt = 'The sale must close after it opens.';
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
  if (!isName(form.name)) errors.name = nameError(form.name, 'Enter a name for this ticket type.');
  if (priceMinor === undefined) errors.price = `Enter an amount in ${currency}, or 0 for free tickets.`;
  else if (priceMinor > maxPriceMinor(currency)) {
    errors.price = `Enter at most ${money(maxPriceMinor(currency), currency)}.`;
  }
  if (capacity === undefined) errors.capacity = 'Enter a whole number, at least 1.';
  if (Object.keys(errors).length > 0 || priceMinor === undefined || capacity === undefined)
    return { details: null, errors };
  return { details: { name: form.name.trim(), priceMinor, capacity }, errors };
}

/** Returns the changed fields. Only those are sent, so that two people can edit different fields at the same time. */
export function changedDetails(event: Event, details: EventDetails): Partial<EventDetails> {
  const shownZone = zoneOrUtc(event.timeZone);
  const same = (name: keyof EventDetails) => {
    // Form fields have no seconds: a time that was not edited keeps its own.
    if (name.endsWith('At')) {
      return details.timeZone === shownZone && wallTime(details[name], shownZone) === wallTime(event[name], shownZone);
    }
    return details[name] === (name === 'timeZone' ? shownZone : event[name]);
  };
  return Object.fromEntries(Object.entries(details).filter(([name]) => !same(name as keyof EventDetails)));
}

const MAX_NAME_LENGTH = 120;

/** Returns whether the API accepts a text as the name of an event, a venue or a ticket type. */
const isName = (text: string) => isVisibleText(text.trim()) && text.trim().length <= MAX_NAME_LENGTH;

function nameError(text: string, missing: string): string {
  if (text.trim() === '') return missing;
  if (text.trim().length > MAX_NAME_LENGTH) return `Enter at most ${MAX_NAME_LENGTH} characters.`;
  return 'Use visible characters only.';
}

function wholeNumber(text: string, max: number): number | undefined {
  const number = Number(text.trim());
  return /^\d{1,9}$/.test(text.trim()) && number >= 1 && number <= max ? number : undefined;
}
