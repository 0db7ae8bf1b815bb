import type { Answer } from './answers.ts';
import type { Customer } from './customers.ts';
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
import { askPatiently } from './waiting.ts';

/** What customers come for. Each says whether it ended as it should; a customer who is told to wait waits. */
export type Journey = (who: Customer, sale: Sale) => boolean;

const ended = (answer: Answer) => answer.outcome === 'ok';

/** Looks at the list and at one event. */
export const browse: Journey = (who, sale) => {
  if (!ended(askPatiently(listEvents(who)).answer)) return false;
  const { answer } = askPatiently(readEvent(sale.slug, who));
  return ended(answer) && eventOf(answer).id === sale.id;
};

const holdOne = (who: Customer, sale: Sale) => {
  const { answer } = askPatiently(hold(who, sale));
  return ended(answer) ? bookingOf(answer) : undefined;
};

const payFor = (who: Customer, id: string) => {
  const { answer } = askPatiently(pay(who, id));
  return ended(answer) ? bookingOf(answer) : undefined;
};

/** Holds a place, pays, has a ticket, and finds the booking in the list. */
export const buy: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  const paid = held && payFor(who, held.id);
  if (paid?.status !== 'confirmed' || paid.tickets.length !== 1) return false;
  const { answer: mine } = askPatiently(myBookings(who));
  return ended(mine) && mine.json<{ items: { id: string }[] }>().items.some(({ id }) => id === paid.id);
};

/** Holds a place and lets it go. */
export const changeOnesMind: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held) return false;
  const { answer } = askPatiently(cancel(who, held.id));
  return ended(answer) && bookingOf(answer).status === 'cancelled';
};

/** Buys, and gives the ticket back: the money is on its way back then. */
export const giveBack: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held || !payFor(who, held.id)) return false;
  const { answer } = askPatiently(cancel(who, held.id));
  if (!ended(answer)) return false;
  const { status, payment, tickets } = bookingOf(answer);
  return status === 'cancelled' && payment === 'refunded' && tickets.length === 0;
};

/** A card that is declined leaves the places held: another one pays for them. */
export const useAnotherCard: Journey = (who, sale) => {
  const held = holdOne(who, sale);
  if (!held) return false;
  const { answer } = askPatiently(pay(who, held.id, 'tok_declined'));
  if (answer.outcome !== 'payment_declined') return false;
  return payFor(who, held.id)?.status === 'confirmed';
};

/** Of a hundred visits: mostly looking, as in any shop. */
const shares: readonly [number, Journey][] = [
  [72, browse],
  [18, buy],
  [4, changeOnesMind],
  [3, giveBack],
  [3, useAnotherCard],
];

/** The journey of this visit, by its number: every hundred visits have the same share of each. */
export function journeyOf(visit: number): Journey {
  // Spread, so that neighbours differ: 37 and 100 have no common divisor.
  let rest = (visit * 37) % 100;
  for (const [share, journey] of shares) {
    if (rest < share) return journey;
    rest -= share;
  }
  return browse;
}

/** An event with room for everybody, for scripts that are not about scarcity. */
export const openLargeSale = (name: string) => openSale(name, { places: 100_000 });
