import type { Booking, Event, NewBooking, PaymentToken } from '@minitickets/contract';
import { headers } from '../../packages/contract/src/headers.ts';
import { type Operation, type ParamsOf, pathOf, paths } from '../../packages/contract/src/paths.ts';
import { type Answer, ask, type Caller, type Request } from './answers.ts';
import { type Customer, organiser, password } from './customers.ts';
import { runId } from './options.ts';

/* The operations that the scripts call, as requests: `ask` waits for the answer, `askMeanwhile` does not. */

type Params<Name extends Operation> = Readonly<Record<ParamsOf<(typeof paths)[Name][1]>, string>>;
type Rest = Omit<Request, 'method' | 'path' | 'route'> & { query?: string };

/** A request of an operation. Its metrics go by the path's pattern, because a metric per id would be thousands. */
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
export function hold(as: Caller, event: Sale, { places = 1, key }: { places?: number; key?: string } = {}) {
  const body: NewBooking = { eventId: event.id, lines: [{ ticketTypeId: event.ticketTypeId, quantity: places }] };
  return operation('createBooking', {}, { as, body, headers: key ? { [headers.idempotencyKey]: key } : {} });
}

export const pay = (as: Caller, id: string, paymentToken: PaymentToken = 'tok_accepted') =>
  operation('payBooking', { id }, { as, body: { paymentToken } });

export const cancel = (as: Caller, id: string) => operation('cancelBooking', { id }, { as });

export const readBooking = (as: Caller, id: string) => operation('readBooking', { id }, { as });

export const myBookings = (as: Caller) => operation('listBookings', {}, { as });

export const bookingOf = ({ json }: Pick<Answer, 'json'>) => json<Booking>();
export const eventOf = ({ json }: Pick<Answer, 'json'>) => json<Event>();

/** An event that only this run sells, with one ticket type, so that its places can be counted exactly. */
export type Sale = { id: string; slug: string; ticketTypeId: string; places: number; opensAt: number };

const HOUR = 3_600_000;

/**
 * Puts an event on sale.
 * @throws if the API does not take it: without it there is nothing to test
 */
export function openSale(name: string, { places, opensInMs = -HOUR }: { places: number; opensInMs?: number }): Sale {
  const opensAt = Date.now() + opensInMs;
  const answer = ask(
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
          ticketTypes: [{ name: 'Standing', priceMinor: 2_500, currency: 'EUR', capacity: places }],
        },
      },
    ),
  );
  const event = answer.outcome === 'ok' ? eventOf(answer) : undefined;
  const [type] = event?.ticketTypes ?? [];
  if (!event || !type) throw new Error(`no event could be made: ${answer.status} ${answer.outcome}`);
  return { id: event.id, slug: event.slug, ticketTypeId: type.id, places, opensAt };
}

/** What is free of a sale's ticket type by the API's own word, or undefined if it does not say. */
export function freePlaces(sale: Sale, as?: Caller): number | undefined {
  const answer = ask(readEvent(sale.id, as));
  return answer.outcome === 'ok' ? eventOf(answer).ticketTypes[0]?.available : undefined;
}

/** Cancels the event, so that the shop looks as before the run. Its bookings are ended and refunded, and the audit still adds up. */
export function closeSale(sale: Sale) {
  ask(operation('changeEvent', { event: sale.id }, { as: organiser, body: { status: 'cancelled' } }));
}
