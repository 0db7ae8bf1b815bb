import type { Booking, Event, NewBooking, PaymentToken } from '@minitickets/contract';
import { headers } from '../../packages/contract/src/headers.ts';
import { type Operation, type ParamsOf, pathOf, paths } from '../../packages/contract/src/paths.ts';
import { type Customer, organiser, password } from './customers.ts';
import { runId } from './options.ts';
import { type Caller, type Reply, type Request, send } from './requests.ts';

/* The operations that the scripts call, as requests for `send` and `sendAsync`. */

type Params<Name extends Operation> = Readonly<Record<ParamsOf<(typeof paths)[Name][1]>, string>>;
type Rest = Omit<Request, 'method' | 'path' | 'route'> & { query?: string };

/** Makes the request of an operation. */
export function operation<Name extends Operation>(
  name: Name,
  params: Params<Name>,
  { query, ...rest }: Rest = {},
): Request {
  const [method, route] = paths[name];
  return { method, route, path: `${pathOf(name, params)}${query ? `?${query}` : ''}`, ...rest };
}

export const listEvents = (as?: Caller, search?: string) =>
  operation('listEvents', {}, { as, query: search && `search=${search}` });

export const readEvent = (event: string, as?: Caller) => operation('readEvent', { event }, { as });

export const logIn = ({ email }: Customer, secret = password) =>
  operation('logIn', {}, { body: { email, password: secret } });

export const logOut = (as: Caller) => operation('logOut', {}, { as });

/** Holds tickets of the one ticket type of an event of this run. */
export function hold(as: Caller, event: Sale, { tickets = 1, key }: { tickets?: number; key?: string } = {}) {
  const body: NewBooking = { eventId: event.id, lines: [{ ticketTypeId: event.ticketTypeId, quantity: tickets }] };
  return operation('createBooking', {}, { as, body, headers: key ? { [headers.idempotencyKey]: key } : {} });
}

export const pay = (as: Caller, id: string, paymentToken: PaymentToken = 'tok_accepted') =>
  operation('payBooking', { id }, { as, body: { paymentToken } });

export const cancel = (as: Caller, id: string) => operation('cancelBooking', { id }, { as });

export const readBooking = (as: Caller, id: string) => operation('readBooking', { id }, { as });

export const myBookings = (as: Caller) => operation('listBookings', {}, { as });

export const bookingOf = ({ json }: Pick<Reply, 'json'>) => json<Booking>();
export const eventOf = ({ json }: Pick<Reply, 'json'>) => json<Event>();

/** An event that only this run sells, with one ticket type, so that its tickets can be counted exactly. */
export type Sale = { id: string; slug: string; ticketTypeId: string; tickets: number; opensAt: number };

const HOUR = 3_600_000;

/**
 * Puts an event on sale.
 * @throws if the API rejects it
 */
export function openSale(name: string, { tickets, opensInMs = -HOUR }: { tickets: number; opensInMs?: number }): Sale {
  const opensAt = Date.now() + opensInMs;
  const reply = send(
    operation(
      'createEvent',
      {},
      {
        as: organiser,
        body: {
          name: `Load test ${runId}: ${name}`,
          slug: `load-test-${runId}-${name}`,
          venue: 'Nowhere',
          timeZone: 'UTC',
          startsAt: new Date(opensAt + 240 * HOUR).toISOString(),
          salesOpenAt: new Date(opensAt).toISOString(),
          salesCloseAt: new Date(opensAt + 239 * HOUR).toISOString(),
          status: 'on_sale',
          maxPerUser: 10,
          ticketTypes: [{ name: 'Standing', priceMinor: 2_500, currency: 'EUR', capacity: tickets }],
        },
      },
    ),
  );
  const event = reply.outcome === 'ok' ? eventOf(reply) : undefined;
  const [type] = event?.ticketTypes ?? [];
  if (!event || !type) throw new Error(`the event was not created: ${reply.status} ${reply.outcome}`);
  return { id: event.id, slug: event.slug, ticketTypeId: type.id, tickets, opensAt };
}

/**
 * Returns the sale's available tickets as PostgreSQL has them, or undefined if the API responds with an error. Its organiser asks:
 * everybody else's answer may be a second old.
 */
export function availableTickets(sale: Sale): number | undefined {
  const reply = send(readEvent(sale.id, organiser));
  return reply.outcome === 'ok' ? eventOf(reply).ticketTypes[0]?.available : undefined;
}

/** Cancels the event, which refunds its bookings, so that the shop looks as before the run. */
export function closeSale(sale: Sale) {
  send(operation('changeEvent', { event: sale.id }, { as: organiser, body: { status: 'cancelled' } }));
}
