import type { EventStatus } from '@minitickets/contract';
import type { PoolClient } from 'pg';
import type { RecordedAnswer } from './idempotency.ts';

/*
 * The statements of one batch of holds. Prepared by name, on a client of the pool: they run thousands of times a second on a
 * hot event, and planning would cost more than running them.
 */

export type LockedEvent = { status: EventStatus; salesOpenAt: Date; salesCloseAt: Date; maxPerUser: number };

/** Locks an event against every other change of its places until the transaction ends. */
export async function lockEventForHolds(db: PoolClient, eventId: string): Promise<LockedEvent | undefined> {
  const { rows } = await db.query<LockedEvent>({
    name: 'lock_event_for_holds',
    text: `
      select status, sales_open_at as "salesOpenAt", sales_close_at as "salesCloseAt", max_per_user as "maxPerUser"
      from events where id = $1 for no key update`,
    values: [eventId],
  });
  return rows[0];
}

export type InventoryRow = {
  /** The database's clock, in whole milliseconds as JavaScript's dates are. */
  now: Date;
  /** The earliest end of a hold that is still counted; in the past if there are places to reclaim. */
  firstHoldEnd: Date | null;
  ticketTypes: {
    id: string;
    name: string;
    priceMinor: number;
    currency: string;
    free: number;
    releases: number;
  }[];
  placesOfUsers: { userId: string; places: number }[];
  records: RecordedAnswer[];
};

/**
 * What a batch is decided from. Its own statement after the lock: in one with it, the counts would be those of before the
 * wait (a statement sees what was committed when it began).
 */
export async function readInventory(
  db: PoolClient,
  eventId: string,
  userIds: string[],
  keys: { userId: string; key: string }[],
): Promise<InventoryRow> {
  const { rows } = await db.query<InventoryRow>({
    name: 'read_inventory',
    text: `
      select
        date_trunc('milliseconds', statement_timestamp()) as now,
        (select min(hold_expires_at) from bookings where event_id = $1 and status = 'held') as "firstHoldEnd",
        (select coalesce(json_agg(json_build_object(
            'id', id, 'name', name, 'priceMinor', price_minor, 'currency', currency,
            'free', capacity - sold - held, 'releases', releases) order by position), '[]')
          from ticket_types where event_id = $1) as "ticketTypes",
        (select coalesce(json_agg(json_build_object('userId', user_id, 'places', places)), '[]')
          from (
            select user_id, sum(places) as places from bookings
            where event_id = $1 and user_id = any($2::uuid[]) and status in ('held', 'confirmed') group by user_id
          ) of_user) as "placesOfUsers",
        (select coalesce(json_agg(json_build_object(
            'userId', user_id, 'key', key, 'fingerprint', fingerprint, 'status', status, 'body', body)), '[]')
          from idempotency_records
          join unnest($3::uuid[], $4::text[]) as asked (user_id, key) using (user_id, key)) as records`,
    values: [eventId, userIds, keys.map(({ userId }) => userId), keys.map(({ key }) => key)],
  });
  const [row] = rows;
  if (!row) throw new Error('a select without a from returned no row');
  return row;
}

export type NewHold = {
  id: string;
  userId: string;
  places: number;
  totalMinor: number;
  currency: string;
  lines: { ticketTypeId: string; quantity: number; unitPriceMinor: number }[];
};

/** Inserts the bookings of a batch, all held from and until the same instants. */
export async function insertHolds(
  db: PoolClient,
  eventId: string,
  holds: NewHold[],
  { createdAt, holdExpiresAt }: { createdAt: Date; holdExpiresAt: Date },
) {
  await db.query({
    name: 'insert_holds',
    text: `
      insert into bookings (id, user_id, places, total_minor, currency, event_id, status, created_at, hold_expires_at)
      select *, $1::uuid, 'held', $2::timestamptz, $3::timestamptz
      from unnest($4::uuid[], $5::uuid[], $6::smallint[], $7::int[], $8::text[])`,
    values: [
      eventId,
      createdAt,
      holdExpiresAt,
      holds.map(({ id }) => id),
      holds.map(({ userId }) => userId),
      holds.map(({ places }) => places),
      holds.map(({ totalMinor }) => totalMinor),
      holds.map(({ currency }) => currency),
    ],
  });
}

/** Inserts the lines of a batch and counts their places as held; the CHECK on `ticket_types` has the last word. */
export async function insertHeldLines(db: PoolClient, holds: NewHold[]) {
  const lines = holds.flatMap((hold) => hold.lines.map((line) => ({ bookingId: hold.id, ...line })));
  await db.query({
    name: 'insert_held_lines',
    text: `
      with lines as (
        insert into booking_lines (booking_id, ticket_type_id, quantity, unit_price_minor)
        select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::int[])
        returning ticket_type_id, quantity
      )
      update ticket_types set held = held + taken.quantity
      from (select ticket_type_id, sum(quantity)::int as quantity from lines group by ticket_type_id) taken
      where ticket_types.id = taken.ticket_type_id`,
    values: [
      lines.map(({ bookingId }) => bookingId),
      lines.map(({ ticketTypeId }) => ticketTypeId),
      lines.map(({ quantity }) => quantity),
      lines.map(({ unitPriceMinor }) => unitPriceMinor),
    ],
  });
}
