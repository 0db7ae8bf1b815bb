import type { EventStatus } from '@minitickets/contract';
import type { Failure } from '../errors.ts';
import { type Line, type PricedLine, totalMinor } from './prices.ts';

/** A request to hold tickets. Lines name each ticket type once (`sumLines`). */
export type HoldRequest = { userId: string; lines: readonly Line[] };

/** The inventory of one event, read under its lock. `now` is PostgreSQL's clock. */
export type Inventory = {
  now: Date;
  event: { status: EventStatus; salesOpenAt: Date; salesCloseAt: Date; maxPerUser: number } | undefined;
  /** In the organiser's order. */
  ticketTypes: readonly { id: string; name: string; priceMinor: number; currency: string; free: number }[];
  /** Tickets that users hold or own for this event; users without any are absent. */
  placesOfUsers: ReadonlyMap<string, number>;
};

export type Hold = { lines: PricedLine[]; places: number; totalMinor: number; currency: string };
export type HoldDecision = { held: Hold } | { refused: Failure };

// #region decide
/**
 * Decides a batch in order of arrival, each request from what the ones before it left. A request gets all lines or none, and
 * a refusal takes nothing. `free` is what remains.
 */
export function decideHolds(inventory: Inventory, requests: readonly HoldRequest[]) {
  const free = new Map(inventory.ticketTypes.map((type) => [type.id, type.free]));
  const placesOfUsers = new Map(inventory.placesOfUsers);
  const { event } = inventory;

  const decisions = requests.map((request): HoldDecision => {
    if (!event) return { refused: { kind: 'not-found', what: 'event' } };
    const notOnSale = saleRefusal(inventory.now, event);
    if (notOnSale) return { refused: notOnSale };
    const wanted = new Map(request.lines.map(({ ticketTypeId, quantity }) => [ticketTypeId, quantity]));
    const types = inventory.ticketTypes.filter(({ id }) => wanted.has(id));
    const [first] = types;
    if (!first || types.length < wanted.size) return { refused: { kind: 'not-found', what: 'ticket type' } };

    const places = request.lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const placesBefore = placesOfUsers.get(request.userId) ?? 0;
    const lines = types.map(({ id, name, priceMinor }) => {
      const quantity = wanted.get(id) ?? 0;
      return { ticketTypeId: id, quantity, unitPriceMinor: priceMinor, name, free: free.get(id) ?? 0 };
    });
    const noRoom = whyNoRoom({ maxPerUser: event.maxPerUser, placesBefore, lines });
    if (noRoom) return { refused: noRoom };

    placesOfUsers.set(request.userId, placesBefore + places);
    for (const { ticketTypeId, quantity, free: before } of lines) free.set(ticketTypeId, before - quantity);
    const priced = lines.map(({ ticketTypeId, quantity, unitPriceMinor }) => ({
      ticketTypeId,
      quantity,
      unitPriceMinor,
    }));
    return { held: { lines: priced, places, totalMinor: totalMinor(priced), currency: first.currency } };
  });
  return { decisions, free };
}
// #endregion

/** The lines that a user wants, each with what is free of its ticket type, and the places that this user already has. */
export type WantedRoom = {
  maxPerUser: number;
  placesBefore: number;
  lines: readonly { name: string; quantity: number; free: number }[];
};

/**
 * Returns why these places cannot be taken; null if they can. The user's limit is checked before "sold out": for a user at
 * their limit that is the reason, not the other buyers.
 */
export function whyNoRoom({ maxPerUser, placesBefore, lines }: WantedRoom): Failure | null {
  const places = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  if (placesBefore + places > maxPerUser) return { kind: 'user-limit-reached', maxPerUser };
  const short = lines.find(({ quantity, free }) => free < quantity);
  return short ? { kind: 'sold-out', ticketTypeName: short.name } : null;
}

function saleRefusal(
  now: Date,
  { status, salesOpenAt, salesCloseAt }: NonNullable<Inventory['event']>,
): Failure | null {
  if (status !== 'on_sale') return { kind: 'event-not-on-sale' };
  if (now < salesOpenAt) return { kind: 'sales-not-open', opensInMs: salesOpenAt.getTime() - now.getTime() };
  if (now >= salesCloseAt) return { kind: 'sales-closed' };
  return null;
}

/** Returns whether waiting can turn this refusal into success. Such a refusal is not stored, so that a retry is decided again. */
export function isResolvedByWaiting({ kind }: Failure) {
  return kind === 'sales-not-open';
}
