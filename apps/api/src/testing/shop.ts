import { randomUUID } from 'node:crypto';
import type { Booking } from '@minitickets/contract';
import { eq } from 'drizzle-orm';
import { events, ticketTypes } from '../db/schema.ts';
import { insertEvent, type NewEventRow } from '../queries/events.ts';
import { insertTicketTypes } from '../queries/ticket-types.ts';
import { person } from './people.ts';
import type { TestApp } from './test-app.ts';

type Body = Record<string, unknown>;
export type Line = { ticketTypeId: string; quantity: number };

/**
 * Creates an event on sale and returns its organiser, the ids of its ticket types, and functions to buy from it through the
 * API.
 */
export async function shop(
  made: TestApp,
  { capacities = [10], ...change }: Partial<NewEventRow> & { capacities?: number[] } = {},
) {
  const organiser = await person(made, { role: 'organiser' });
  const day = 24 * 3_600_000;
  const event = await insertEvent(made.db, {
    slug: `event-${randomUUID()}`,
    name: 'A test evening',
    venue: 'Town Hall',
    organiserId: organiser.user.id,
    startsAt: new Date(Date.now() + 30 * day),
    timeZone: 'Europe/Berlin',
    salesOpenAt: new Date(Date.now() - day),
    salesCloseAt: new Date(Date.now() + 29 * day),
    status: 'on_sale',
    ...change,
  });
  const types = capacities.map((capacity, index) => ({
    name: `Type ${index + 1}`,
    priceMinor: 1000 * (index + 1),
    currency: 'EUR',
    capacity,
  }));
  const typeIds = (await insertTicketTypes(made.db, event.id, types)).map(({ id }) => id);

  const call = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    sid: string,
    body?: Body,
    headers: Record<string, string> = {},
  ) => made.app.inject({ method, url, cookies: { sid }, headers, ...(body && { payload: body }) });
  const lineOf = (quantity: number, index = 0): Line => ({ ticketTypeId: typeIds[index] ?? '', quantity });

  return {
    organiser,
    event,
    typeIds,
    call,
    lineOf,
    /** Books tickets: one of the first type unless lines are given. */
    book: (sid: string, lines: Line[] = [lineOf(1)], key?: string) =>
      call('POST', '/v1/bookings', sid, { eventId: event.id, lines }, key ? { 'idempotency-key': key } : {}),
    pay: (sid: string, booking: Pick<Booking, 'id'>, paymentToken = 'tok_accepted') =>
      call('POST', `/v1/bookings/${booking.id}/payment`, sid, { paymentToken }),
    cancel: (sid: string, booking: Pick<Booking, 'id'>) => call('DELETE', `/v1/bookings/${booking.id}`, sid),
    read: async (sid: string, booking: Pick<Booking, 'id'>) =>
      (await call('GET', `/v1/bookings/${booking.id}`, sid)).json() as Booking,
    /** Returns PostgreSQL's counts of each ticket type. */
    counts: async () =>
      made.db
        .select({ held: ticketTypes.held, sold: ticketTypes.sold })
        .from(ticketTypes)
        .where(eq(ticketTypes.eventId, event.id))
        .orderBy(ticketTypes.position),
    change: async (columns: Partial<NewEventRow>) =>
      void (await made.db.update(events).set(columns).where(eq(events.id, event.id))),
  };
}
