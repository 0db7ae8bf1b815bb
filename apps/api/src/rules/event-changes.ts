import { type EventStatus, maxPriceMinor, slug } from '@minitickets/contract';
import anyAscii from 'any-ascii';
import { fail } from '../errors.ts';

/**
 * Returns the slug of a name, transliterated to ASCII: `Straße in Łódź` → `strasse-in-lodz`; `event` if nothing is left of it.
 */
export function slugFrom(name: string) {
  const made = anyAscii(name)
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return slug.safeParse(made).success ? made : 'event';
}

/** @throws TicketingError not-valid if the sale would close before it opens */
export function checkSaleWindow({ salesOpenAt, salesCloseAt }: { salesOpenAt: Date; salesCloseAt: Date }) {
  if (salesOpenAt >= salesCloseAt)
    fail({ kind: 'not-valid', path: '/salesCloseAt', message: 'later than salesOpenAt' });
}

/** Applies the price bound of `newTicketType` to a change, which does not name the currency. @throws TicketingError not-valid */
export function checkPrice(priceMinor: number | undefined, currency: string) {
  if (priceMinor !== undefined && priceMinor > maxPriceMinor(currency))
    fail({ kind: 'not-valid', path: '/priceMinor', message: 'above the highest price in this currency' });
}

/** A booking has one total, so an event sells in one currency. @throws TicketingError not-valid */
export function checkOneCurrency(currencies: string[]) {
  if (new Set(currencies).size > 1)
    fail({ kind: 'not-valid', path: '/currency', message: 'one currency for all ticket types of an event' });
}

/**
 * How far the sale of an event has come, by the strongest promise made to a buyer. `held`: a hold is running and nothing is sold.
 * `started`: the event has started, and somebody holds a ticket or a hold.
 */
export type SaleState = 'nothing_sold' | 'held' | 'sold' | 'checked_in' | 'started' | 'cancelled';

/**
 * - `describe`: name, venue, time zone, tickets per person; `change_sale`: when the sale opens and closes
 * - `change_types`: add a ticket type, or change its name, price or capacity
 * - `publish`: from draft to on sale; `withdraw`: back to draft, which hides the event from its buyers
 * - `postpone`: a later start; `bring_forward`: an earlier one that leaves buyers `MIN_NOTICE_MS` to cancel;
 *   `start_at_short_notice`: an earlier one that doesn't, or is in the past
 * - `cancel`: for good
 */
export type EventEdit =
  | 'describe'
  | 'change_sale'
  | 'change_types'
  | 'publish'
  | 'withdraw'
  | 'postpone'
  | 'bring_forward'
  | 'start_at_short_notice'
  | 'cancel';

/**
 * What an edit does, and what buyers have afterwards.
 * - `done`: the edit is made; there are no buyers
 * - `kept`: the edit is made; holds and tickets stay valid at their price, and can be cancelled for a full refund until the start
 * - `refunded`: the edit is made; every hold is released, and every paid booking is cancelled and refunded in full
 * - `refused`: nothing changes
 */
export type EditOutcome = 'done' | 'kept' | 'refunded' | 'refused';

/** The notice that buyers get of an earlier start: until the start, they can cancel for a full refund. */
export const MIN_NOTICE_MS = 24 * 3_600_000;

const keepsPromises = {
  nothing_sold: 'done',
  held: 'kept',
  sold: 'kept',
  checked_in: 'kept',
  started: 'kept',
  cancelled: 'refused',
} as const;
const beforeDoorsOpen = { ...keepsPromises, checked_in: 'refused', started: 'refused' } as const;
const withoutBuyers = { ...beforeDoorsOpen, held: 'refused', sold: 'refused' } as const;

/** Every edit of an event, in every state of its sale. docs/api.md shows this table. */
export const eventEditGrid = {
  describe: keepsPromises,
  change_sale: keepsPromises,
  change_types: keepsPromises,
  publish: keepsPromises,
  withdraw: withoutBuyers,
  postpone: beforeDoorsOpen,
  bring_forward: beforeDoorsOpen,
  start_at_short_notice: withoutBuyers,
  cancel: {
    nothing_sold: 'done',
    held: 'refunded',
    sold: 'refunded',
    checked_in: 'refunded',
    started: 'refunded',
    cancelled: 'refused',
  },
} as const satisfies Record<EventEdit, Record<SaleState, EditOutcome>>;

/** What an event's sale has come to, read under the event's lock; `now` is PostgreSQL's clock. */
export type Sale = { now: Date; hasHolds: boolean; hasSales: boolean; hasCheckIns: boolean };

type EditedEvent = {
  status: EventStatus;
  startsAt: Date;
  salesOpenAt: Date;
  salesCloseAt: Date;
  name: string;
  venue: string;
  timeZone: string;
  maxPerUser: number;
};

/** Returns the state of an event's sale. */
export function saleStateOf(
  { status, startsAt }: Pick<EditedEvent, 'status' | 'startsAt'>,
  { now, hasHolds, hasSales, hasCheckIns }: Sale,
): SaleState {
  if (status === 'cancelled') return 'cancelled';
  if (!hasHolds && !hasSales) return 'nothing_sold';
  if (startsAt <= now) return 'started';
  if (hasCheckIns) return 'checked_in';
  return hasSales ? 'sold' : 'held';
}

/** Returns the edits that a change amounts to; none if it names only what is so already. */
export function eventEditsOf(before: EditedEvent, change: Partial<EditedEvent>, now: Date): EventEdit[] {
  const after = { ...before, ...change };
  const differs = (...fields: (keyof EditedEvent)[]) =>
    fields.some((field) => after[field].valueOf() !== before[field].valueOf());
  const edits: EventEdit[] = [];
  if (differs('name', 'venue', 'timeZone', 'maxPerUser')) edits.push('describe');
  if (differs('salesOpenAt', 'salesCloseAt')) edits.push('change_sale');
  if (after.startsAt > before.startsAt) edits.push('postpone');
  if (after.startsAt < before.startsAt) {
    const hasNotice = after.startsAt.getTime() - now.getTime() >= MIN_NOTICE_MS;
    edits.push(hasNotice ? 'bring_forward' : 'start_at_short_notice');
  }
  if (differs('status')) edits.push(STATUS_EDITS[after.status]);
  return edits;
}

const STATUS_EDITS = { on_sale: 'publish', draft: 'withdraw', cancelled: 'cancel' } as const;

/** @throws TicketingError change-not-possible for the first edit that the grid refuses */
export function checkEventEdits(edits: readonly EventEdit[], state: SaleState) {
  const refused = edits.find((edit) => eventEditGrid[edit][state] === 'refused');
  if (refused) fail({ kind: 'change-not-possible', reason: reasonFor(refused, state) });
}

function reasonFor(edit: EventEdit, state: SaleState): string {
  if (state === 'cancelled') return 'The event is cancelled. A cancelled event cannot be changed.';
  if (edit === 'withdraw') {
    return 'Tickets of this event are sold or held, so it cannot be hidden as a draft. Cancel it to refund all buyers.';
  }
  if (state === 'started')
    return 'The event has started, so its start cannot be moved. Cancel it to refund all buyers.';
  if (state === 'checked_in') {
    return 'A ticket has been checked in, so the start cannot be moved. Cancel the event to refund all buyers.';
  }
  return 'Tickets are sold or held, so an earlier start must be at least 24 hours away: buyers need time to cancel.';
}
