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
    const { maxPerUser } = event;
    // Checked before "sold out": for a user at their limit that is the reason, not the other buyers.
    if (placesBefore + places > maxPerUser) return { refused: { kind: 'user-limit-reached', maxPerUser } };
    const short = types.find(({ id }) => (free.get(id) ?? 0) < (wanted.get(id) ?? 0));
    if (short) return { refused: { kind: 'sold-out', ticketTypeName: short.name } };

    placesOfUsers.set(request.userId, placesBefore + places);
    const lines = types.map(({ id, priceMinor }) => {
      const quantity = wanted.get(id) ?? 0;
      free.set(id, (free.get(id) ?? 0) - quantity);
      return { ticketTypeId: id, quantity, unitPriceMinor: priceMinor };
    });
    return { held: { lines, places, totalMinor: totalMinor(lines), currency: first.currency } };
  });
  return { decisions, free };
}
// #endregion

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
