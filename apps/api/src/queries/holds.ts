import { eventStatus } from '@minitickets/contract';
import type { PoolClient } from 'pg';
import { z } from 'zod';
import { failCommit } from '../db/postgres-failures.ts';
import { inOneRoundTrip, plainArray, type Statement, textArray } from '../db/round-trip.ts';
import type { HeldBooking, RecordedOutcome } from '../rules/held-answers.ts';
import type { HoldRequest, Inventory } from '../rules/hold-decisions.ts';
import { timeOrderedId } from '../rules/ids.ts';

/*
 * The statements of a booking: one round trip reads and one writes, or a single one does both. Pessimistic locking: in each,
 * the event's lock comes first, in a statement of its own. Under READ COMMITTED a statement sees what was committed when it
 * began, so counts read in the locking statement would predate the wait for the lock.
 */

export type NewHold = HeldBooking & { userId: string; places: number };

const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };

// #region lock
/**
 * Locks an event's inventory against every other writer until the transaction ends. The sale ends when the event starts, at
 * the latest.
 */
export const LOCK_EVENT: Statement = {
  name: 'lock_event',
  text: `
    select json_build_object('status', status, 'salesOpenAt', sales_open_at,
      'salesCloseAt', least(sales_close_at, starts_at), 'maxPerUser', max_per_user)
    from events where id = $1 for no key update`,
};
// #endregion

/** Selects a booking as the JSON of a `HeldBooking`. */
export const HELD_BOOKING = `
  select json_build_object('id', bookings.id, 'eventId', event_id, 'totalMinor', total_minor,
    'currency', bookings.currency, 'createdAt', bookings.created_at, 'holdExpiresAt', hold_expires_at, 'lines', (
      select json_agg(json_build_object('ticketTypeId', ticket_type_id, 'quantity', quantity,
        'unitPriceMinor', unit_price_minor) order by position)
      from booking_lines join ticket_types on ticket_types.id = ticket_type_id where booking_id = bookings.id))`;

// #region counts
const READ_INVENTORY: Statement = {
  name: 'read_inventory',
  text: `
    select json_build_object(
      'now', date_trunc('milliseconds', statement_timestamp()),
      'firstHoldEnd', (select min(hold_expires_at) from bookings where event_id = $1 and status = 'held'),
      'ticketTypes', (
        select coalesce(json_agg(json_build_object('id', id, 'name', name, 'priceMinor', price_minor,
          'currency', currency, 'free', capacity - sold - held, 'releases', releases) order by position), '[]')
        from ticket_types where event_id = $1),
      'placesOfUsers', (
        select coalesce(json_object_agg(user_id, places), '{}') from (
          select user_id, sum(places) as places from bookings
          where event_id = $1 and user_id = any($2::uuid[]) and status in ('held', 'confirmed') group by user_id
        ) of_user),
      'records', (
        select coalesce(json_agg(json_build_object('userId', user_id, 'key', key, 'fingerprint', fingerprint,
          'refusal', refusal, 'booking', (${HELD_BOOKING} from bookings where bookings.id = booking_id))), '[]')
        from idempotency_records join unnest($3::uuid[], $4::text[]) as asked (user_id, key) using (user_id, key)))`,
};
// #endregion

// #region write
const INSERT_HOLDS: Statement = {
  name: 'insert_holds',
  text: `
    with new_bookings as (
      insert into bookings (id, user_id, places, total_minor, currency, event_id, status, created_at, hold_expires_at)
      select id, "userId", places, "totalMinor", currency, "eventId", 'held', "createdAt", "holdExpiresAt"
      from json_to_recordset($1) as hold (id uuid, "userId" uuid, places smallint, "totalMinor" bigint, currency text,
        "eventId" uuid, "createdAt" timestamptz, "holdExpiresAt" timestamptz)
    ), new_lines as (
      insert into booking_lines (booking_id, ticket_type_id, quantity, unit_price_minor)
      select "bookingId", "ticketTypeId", quantity, "unitPriceMinor"
      from json_to_recordset($2) as line ("bookingId" uuid, "ticketTypeId" uuid, quantity smallint, "unitPriceMinor" bigint)
      returning ticket_type_id, quantity
    ), new_records as (
      insert into idempotency_records (user_id, key, fingerprint, booking_id, refusal)
      select "userId", key, fingerprint, "bookingId", refusal
      from json_to_recordset($3) as record ("userId" uuid, key text, fingerprint text, "bookingId" uuid, refusal text)
    )
    update ticket_types set held = held + taken.quantity
    from (select ticket_type_id, sum(quantity)::int as quantity from new_lines group by ticket_type_id) taken
    where ticket_types.id = taken.ticket_type_id`,
};
// #endregion

// #region at-once
/** The single-statement fast path of `holdIfClear`: the rule of `decideHolds` in SQL. */
export const HOLD_IF_CLEAR: Statement = {
  name: 'hold_if_clear',
  text: `
    with wanted as (
      select id, position, price_minor, currency, quantity
      from unnest($4::uuid[], $5::smallint[]) as asked (id, quantity) join ticket_types using (id)
      where event_id = $2 and capacity - sold - held >= quantity
    ), booking as (
      insert into bookings (id, event_id, user_id, places, total_minor, currency, created_at, hold_expires_at)
      select $1, $2, $3, places, price, currency, statement_timestamp(),
        statement_timestamp() + make_interval(secs => $6::int)
      from (
        select count(*) as lines, sum(quantity) as places, sum(quantity * price_minor) as price, min(currency) as currency
        from wanted
      ) total
      where lines = cardinality($4::uuid[])
        and exists (
          select from events
          where id = $2 and status = 'on_sale'
            and statement_timestamp() >= sales_open_at and statement_timestamp() < least(sales_close_at, starts_at)
            and max_per_user >= total.places + (
              select coalesce(sum(places), 0) from bookings
              where event_id = $2 and user_id = $3 and status in ('held', 'confirmed')))
        and not exists (select from idempotency_records where user_id = $3 and key = $7)
      returning *
    ), new_lines as (
      insert into booking_lines (booking_id, ticket_type_id, quantity, unit_price_minor)
      select booking.id, wanted.id, quantity, price_minor from booking, wanted
    ), taken as (
      update ticket_types set held = held + quantity from booking, wanted where ticket_types.id = wanted.id
    ), record as (
      insert into idempotency_records (user_id, key, fingerprint, booking_id)
      select $3, $7, $8, id from booking where $7 is not null
    )
    select json_build_object('id', id, 'eventId', event_id, 'totalMinor', total_minor, 'currency', currency,
      'createdAt', created_at, 'holdExpiresAt', hold_expires_at, 'lines', (
        select json_agg(json_build_object('ticketTypeId', id, 'quantity', quantity, 'unitPriceMinor', price_minor)
          order by position) from wanted))
    from booking`,
};
// #endregion

/** PostgreSQL's JSON writes an instant as ISO 8601, with microseconds and an offset. */
const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const isoText = instant.transform((date) => date.toISOString());

/** The lines of a booking, as `json_agg` returns them. */
export const pricedLines = z.array(z.object({ ticketTypeId: z.string(), quantity: z.int(), unitPriceMinor: z.int() }));

const heldBooking: z.ZodType<HeldBooking> = z.object({
  id: z.string(),
  eventId: z.string(),
  totalMinor: z.int(),
  currency: z.string(),
  createdAt: isoText,
  holdExpiresAt: isoText,
  lines: pricedLines,
});

/** An idempotency record, with the booking as `HELD_BOOKING` selects it. */
export const recordedOutcome: z.ZodType<RecordedOutcome> = z.object({
  userId: z.string(),
  key: z.string(),
  fingerprint: z.string(),
  refusal: z.string().nullable(),
  booking: heldBooking.nullable(),
});

const eventRow: z.ZodType<NonNullable<Inventory['event']>> = z.object({
  status: eventStatus,
  salesOpenAt: instant,
  salesCloseAt: instant,
  maxPerUser: z.int(),
});

const inventoryRow = z.object({
  now: instant,
  /** The earliest end of a hold that is still counts as held; not after `now` if there are expired holds to reclaim. */
  firstHoldEnd: instant.nullable(),
  ticketTypes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      priceMinor: z.int(),
      currency: z.string(),
      free: z.int(),
      releases: z.int(),
    }),
  ),
  placesOfUsers: z.record(z.string(), z.int()).transform((places) => new Map(Object.entries(places))),
  records: z.array(recordedOutcome),
});

/** The inventory from which a batch is decided; the event's own row comes separately. */
export type InventoryRow = z.output<typeof inventoryRow>;

/** The users whose bookings are counted, and the idempotency keys whose records are read, for a batch. */
export type InventoryScope = { userIds: string[]; keys: { userId: string; key: string }[] };

/** Begins a transaction, locks the event's inventory and reads it. */
export async function beginAndReadInventory(db: PoolClient, eventId: string, asked: InventoryScope) {
  const [, events, inventories] = await inOneRoundTrip(db, [
    { statement: BEGIN },
    { statement: LOCK_EVENT, values: [eventId] },
    readStep(eventId, asked),
  ]);
  const [event] = events ?? [];
  return { event: event === undefined ? undefined : eventRow.parse(JSON.parse(event)), ...parseInventory(inventories) };
}

/** Reads an event's inventory again in the same transaction. */
export async function readInventory(db: PoolClient, eventId: string, asked: InventoryScope): Promise<InventoryRow> {
  const [inventories] = await inOneRoundTrip(db, [readStep(eventId, asked)]);
  return parseInventory(inventories);
}

/**
 * Writes a batch and commits: its bookings, which share one start and one end, their lines, the counts, and the idempotency
 * records. The CHECK on `ticket_types` is the last line of defence. If two transactions record the same key, which only
 * happens after Redis lost a claim, the second fails here and finds the first one's record when it retries.
 */
export async function insertHoldsAndCommit(db: PoolClient, holds: NewHold[], records: RecordedOutcome[]) {
  const lines = holds.flatMap((hold) => hold.lines.map((line) => ({ bookingId: hold.id, ...line })));
  const written = records.map(({ booking, ...record }) => ({ ...record, bookingId: booking?.id ?? null }));
  const values = [holds, lines, written].map((rows) => JSON.stringify(rows));
  const write = holds.length + records.length > 0 ? [{ statement: INSERT_HOLDS, values }] : [];
  await inOneRoundTrip(db, [...write, { statement: COMMIT }]).catch(failCommit);
}

/**
 * Fast path for a lone booking: one transaction and one round trip, if nothing stands in the way. It never refuses and
 * reclaims no holds: undefined means that nothing was written and the request needs a decision (`decideHolds`). The property
 * test in `sale-rule.test.ts` holds both to the same answers; one evaluator in TypeScript would cost a second round trip under
 * the lock.
 */
export async function holdIfClear(
  db: PoolClient,
  eventId: string,
  { userId, lines }: HoldRequest,
  holdSeconds: number,
  idempotency: { key: string; fingerprint: string } | undefined,
): Promise<HeldBooking | undefined> {
  const values = [
    timeOrderedId(new Date()),
    eventId,
    userId,
    plainArray(lines.map(({ ticketTypeId }) => ticketTypeId)),
    plainArray(lines.map(({ quantity }) => quantity)),
    String(holdSeconds),
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
  ];
  const [, bookings] = await inOneRoundTrip(db, [
    { statement: LOCK_EVENT, values: [eventId] },
    { statement: HOLD_IF_CLEAR, values },
  ]).catch(failCommit);
  return bookings?.[0] === undefined ? undefined : heldBooking.parse(JSON.parse(bookings[0]));
}

function readStep(eventId: string, { userIds, keys }: InventoryScope) {
  const values = [
    eventId,
    plainArray(userIds),
    plainArray(keys.map(({ userId }) => userId)),
    textArray(keys.map(({ key }) => key)),
  ];
  return { statement: READ_INVENTORY, values };
}

function parseInventory(rows: string[] | undefined): InventoryRow {
  const [row] = rows ?? [];
  if (row === undefined) throw new Error('SELECT of one row returned none');
  return inventoryRow.parse(JSON.parse(row));
}
