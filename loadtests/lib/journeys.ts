import type { Customer } from './customers.ts';
import type { Reply } from './requests.ts';
import { sendWithRetries } from './retries.ts';
import {
  bookingOf,
  cancel,
  eventOf,
  hold,
  listEvents,
  myBookings,
  openSale,
  pay,
  readEvent,
  type Sale,
} from './shop.ts';

/** A customer's visit. Returns whether the goal was reached; customers obey Retry-After. */
export type Journey = (who: Customer, sale: Sale) => boolean;

const succeeded = (reply: Reply) => reply.outcome === 'ok';

/** Reads the list of events and one event. */
export const browse: Journey = (who, sale) => {
  if (!succeeded(sendWithRetries(listEvents(who)).reply)) return false;
  const { reply } = sendWithRetries(readEvent(sale.slug, who));
  return succeeded(reply) && eventOf(reply).id === sale.id;
};

const holdOne = (who: Customer, sale: Sale) => {
  const { reply } = sendWithRetries(hold(who, sale));
  return succeeded(reply) ? bookingOf(reply) : undefined;
};

const payFor = (who: Customer, id: string) => {
  const { reply } = sendWithRetries(pay(who, id));
  return succeeded(reply) ? bookingOf(reply) : undefined;
};

/** Holds a ticket, pays, gets it, and finds the booking in the list. */
export const buy: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  const paid = held && payFor(who, held.id);
  if (paid?.status !== 'confirmed' || paid.tickets.length !== 1) return false;
  const { reply: mine } = sendWithRetries(myBookings(who));
  return succeeded(mine) && mine.json<{ items: { id: string }[] }>().items.some(({ id }) => id === paid.id);
};

/** Holds a ticket and cancels the hold. */
export const holdAndRelease: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held) return false;
  const { reply } = sendWithRetries(cancel(who, held.id));
  return succeeded(reply) && bookingOf(reply).status === 'cancelled';
};

/** Buys a ticket and cancels the booking, which is refunded. */
export const buyAndRefund: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held || !payFor(who, held.id)) return false;
  const { reply } = sendWithRetries(cancel(who, held.id));
  if (!succeeded(reply)) return false;
  const { status, payment, tickets } = bookingOf(reply);
  return status === 'cancelled' && payment === 'refunded' && tickets.length === 0;
};

/** Pays with a declined card, which keeps the hold, and then with another one. */
export const payAfterDecline: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held) return false;
  const { reply } = sendWithRetries(pay(who, held.id, 'tok_declined'));
  if (reply.outcome !== 'payment_declined') return false;
  return payFor(who, held.id)?.status === 'confirmed';
};

/** Of a hundred visits, most only browse, as in any shop. */
const shares: readonly [number, Journey][] = [
  [72, browse],
  [18, buy],
  [4, holdAndRelease],
  [3, buyAndRefund],
  [3, payAfterDecline],
];

/** Returns the journey of a visit by its number: every hundred visits have the same mix. */
export function journeyOf(visit: number): Journey {
  // Mixed, so that consecutive visits differ: 37 and 100 are coprime.
  let rest = (visit * 37) % 100;
  for (const [share, journey] of shares) {
    if (rest < share) return journey;
    rest -= share;
  }
  return browse;
}

/** Opens an event with enough tickets for everybody, for scripts that are not about scarcity. */
export const openLargeSale = (name: string) => openSale(name, { tickets: 100_000 });
