import type { Event, TicketType } from '@minitickets/contract';
import { describe, expect, test } from 'vitest';
import { availabilityOf, cheapest, ticketsLeft } from './availability.ts';

const opens = Date.parse('2026-06-01T10:00:00Z');
const closes = Date.parse('2026-06-20T10:00:00Z');
const type = (change: Partial<TicketType> = {}): TicketType => ({
  id: 'type',
  name: 'Standing',
  priceMinor: 3900,
  currency: 'EUR',
  capacity: 300,
  available: 300,
  ...change,
});
const event = (change: Partial<Event> = {}): Event => ({
  id: 'event',
  slug: 'event',
  name: 'Event',
  venue: 'Venue',
  startsAt: '2026-06-20T18:00:00Z',
  timeZone: 'UTC',
  salesOpenAt: new Date(opens).toISOString(),
  salesCloseAt: new Date(closes).toISOString(),
  status: 'on_sale',
  maxPerUser: 4,
  ticketTypes: [type()],
  ...change,
});

describe('the sale of an event', () => {
  test('the sale opens at its instant, not a millisecond before', () => {
    expect(availabilityOf(event(), opens - 1)).toEqual({ kind: 'sales_not_open', opensAtMs: opens });
    expect(availabilityOf(event(), opens)).toEqual({ kind: 'available' });
  });

  test('the sale closes at its instant', () => {
    expect(availabilityOf(event(), closes - 1)).toEqual({ kind: 'available' });
    expect(availabilityOf(event(), closes)).toEqual({ kind: 'sales_closed' });
  });

  test('the sale closes when the event starts, even if its closing time is later', () => {
    const begun = event({ startsAt: new Date(closes - 10).toISOString() });
    expect(availabilityOf(begun, closes - 11)).toEqual({ kind: 'available' });
    expect(availabilityOf(begun, closes - 10)).toEqual({ kind: 'sales_closed' });
  });

  test('a cancelled event is cancelled, whatever its times', () => {
    expect(availabilityOf(event({ status: 'cancelled' }), opens - 1)).toEqual({ kind: 'cancelled' });
  });

  test('an event is sold out only when every ticket type is', () => {
    const [gone, two] = [type({ available: 0 }), type({ available: 2, capacity: 100 })];
    expect(availabilityOf(event({ ticketTypes: [gone, gone] }), opens)).toEqual({ kind: 'sold_out' });
    expect(availabilityOf(event({ ticketTypes: [gone, two] }), opens)).toEqual({ kind: 'few_left', tickets: 2 });
  });
});

test('"few left" means at most twenty tickets and at most a tenth of the capacity', () => {
  expect(ticketsLeft({ available: 20, capacity: 1000 })).toEqual({ kind: 'few_left', tickets: 20 });
  expect(ticketsLeft({ available: 21, capacity: 1000 })).toEqual({ kind: 'available' });
  expect(ticketsLeft({ available: 5, capacity: 50 })).toEqual({ kind: 'few_left', tickets: 5 });
  expect(ticketsLeft({ available: 6, capacity: 50 })).toEqual({ kind: 'available' });
  expect(ticketsLeft({ available: 1, capacity: 1 })).toEqual({ kind: 'few_left', tickets: 1 });
});

test('"from" names the cheapest ticket type that is still available', () => {
  const students = type({ id: 'students', priceMinor: 2000, available: 0 });
  const lawn = type({ id: 'lawn', priceMinor: 4500 });
  const stand = type({ id: 'stand', priceMinor: 7900 });
  expect(cheapest([students, stand, lawn])?.id).toBe('lawn');
  expect(cheapest([students])?.id).toBe('students');
  expect(cheapest([])).toBeUndefined();
});
