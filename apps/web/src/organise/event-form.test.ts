import { expect, test } from 'vitest';
import { lateShow } from '../testing/late-show.ts';
import {
  changedDetails,
  eventForm,
  moveToZone,
  newEventForm,
  newTicketTypeForm,
  readEventForm,
  readTicketTypeForm,
} from './event-form.ts';

const event = { ...lateShow, salesOpenAt: '2026-10-01T08:00:30.500Z' };

test('an event whose form was not edited has no changes, even in its seconds', () => {
  const { details } = readEventForm(eventForm(event));
  expect(details && changedDetails(event, details)).toEqual({});
});

test('only edited fields are sent, with times as instants in the event’s time zone', () => {
  const { details } = readEventForm({ ...eventForm(event), startsAt: '2026-11-24T21:30', name: ' Later Show ' });
  expect(details && changedDetails(event, details)).toEqual({
    startsAt: '2026-11-24T20:30:00.000Z',
    name: 'Later Show',
  });
});

test('a different time zone moves every instant of an existing event', () => {
  const { details } = readEventForm({ ...eventForm(event), timeZone: 'Europe/London' });
  const change = details && changedDetails(event, details);
  expect(change).toMatchObject({ timeZone: 'Europe/London', startsAt: '2026-11-24T20:00:00.000Z' });
});

test('a sale that closes before it opens and a blank field are reported', () => {
  const form = { ...eventForm(event), salesCloseAt: '2026-09-01T10:00', venue: ' ', maxPerUser: '11' };
  const { details, errors } = readEventForm(form);
  expect(details).toBeNull();
  expect(Object.keys(errors).sort()).toEqual(['maxPerUser', 'salesCloseAt', 'venue']);
});

test('an invisible name and a price above the currency’s maximum are reported', () => {
  const { errors } = readEventForm({ ...eventForm(event), name: '\u200b', venue: 'Town\u202eHall' });
  expect(Object.keys(errors).sort()).toEqual(['name', 'venue']);
  const priced = (price: string) => readTicketTypeForm({ name: 'Stalls', price, capacity: '1' }, 'IDR');
  expect(priced('500000').details).toMatchObject({ priceMinor: 50_000_000 });
  expect(Object.keys(priced('100000001').errors)).toEqual(['price']);
});

test('an event in a time zone unknown to the browser is edited in UTC and keeps its time zone', () => {
  const unknown = { ...event, timeZone: 'Mars/Olympus' };
  const form = eventForm(unknown);
  expect(form).toMatchObject({ timeZone: 'UTC', startsAt: event.startsAt.slice(0, 16) });
  const { details } = readEventForm({ ...form, name: 'Renamed' });
  expect(details && changedDetails(unknown, details)).toEqual({ name: 'Renamed' });
});

test('a new event’s form lacks only a name and a venue', () => {
  const { errors } = readEventForm(newEventForm('Europe/Berlin', Date.parse('2026-06-01T10:00:00Z')));
  expect(Object.keys(errors).sort()).toEqual(['name', 'venue']);
});

test('suggested times keep their instants through changes of the time zone', () => {
  const offered = newEventForm('Europe/Berlin', Date.parse('2026-06-01T10:00:00Z'));
  const named = { ...offered, name: 'Late Show', venue: 'Kino' };
  const instants = readEventForm(named).details;
  let form = named;
  for (const zone of ['America/Los_Angeles', 'Asia/Kathmandu', 'Europe/Berlin']) {
    form = moveToZone(form, offered, zone);
    expect(readEventForm(form).details).toEqual({ ...instants, timeZone: zone });
  }
  expect(form).toEqual(named);
});

test('a typed time keeps its clock time when the time zone changes', () => {
  const offered = newEventForm('Europe/Berlin', Date.parse('2026-06-01T10:00:00Z'));
  const moved = moveToZone({ ...offered, startsAt: '2026-07-04T19:30' }, offered, 'America/New_York');
  expect(moved.startsAt).toBe('2026-07-04T19:30');
  expect(moved.salesOpenAt).toBe('2026-06-01T06:00');
});

test('a sale that opens at once ignores the opening time of the form', () => {
  const form = { ...newEventForm('Asia/Tokyo', Date.parse('2026-06-01T10:00:00Z')), name: 'Late Show', venue: 'Kino' };
  const opensAt = '2026-06-01T10:07:31.250Z';
  expect(readEventForm({ ...form, salesOpenAt: '' }, opensAt).details?.salesOpenAt).toBe(opensAt);
  // And it cannot close before that.
  expect(Object.keys(readEventForm({ ...form, salesCloseAt: form.salesOpenAt }, opensAt).errors)).toEqual([
    'salesCloseAt',
  ]);
});

test('a ticket type needs a name, an amount in its currency, and a number of tickets', () => {
  expect(readTicketTypeForm({ name: 'Stalls', price: '12,5', capacity: '40' }, 'EUR').details).toEqual({
    name: 'Stalls',
    priceMinor: 1250,
    capacity: 40,
  });
  const { errors } = readTicketTypeForm({ ...newTicketTypeForm, capacity: '0' }, 'EUR');
  expect(Object.keys(errors).sort()).toEqual(['capacity', 'name', 'price']);
});
