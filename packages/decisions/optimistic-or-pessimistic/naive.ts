import { inOneRoundTrip, type Statement } from '@minitickets/api/db/round-trip';
import { timeOrderedId } from '@minitickets/api/rules/ids';
import pg, { type Pool } from 'pg';
import type { BookingTask } from '../frame/arena.ts';
import { edits } from '../frame/edits.ts';
import { type Book, HOLD_SECONDS } from '../frame/subjects/desks.ts';

/** A transaction that lost against another one is tried again at most this often. */
const MAX_ATTEMPTS = 20;

export const withoutLock = edits(
  { file: 'apps/api/src/queries/holds.ts', region: 'lock' },
  { from: ' for no key update', to: '' },
);

// #region isolation
/** The isolation level has to find the conflict, in place of the lock. */
export function isolate(pool: Pool, level: 'repeatable read' | 'serializable') {
  pool.on('connect', (client) => void client.query(`set default_transaction_isolation = '${level}'`));
}

/** Tries a transaction again that PostgreSQL has aborted with a serialization failure. */
export function retried(book: Book): Book {
  return async (eventId, order) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await book(eventId, order);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError && error.code === '40001') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
}
// #endregion

/** A write that depends on what the transaction has read. */
type Write = { statement: Statement; dependsOn: (seen: Seen) => number };
type Seen = { version: number; held: number; left: number };

// #region version
/** Writes only if nobody has changed the event since the read: compare-and-set on its version column. */
export const compareAndSet: Write = {
  statement: writing('compare_and_set', { where: 'version = $7', held: 'held + $5' }),
  dependsOn: ({ version }) => version,
};

/** Reads and writes without a lock. No row means that the write came too late. */
export function bookUnlocked({ writingPool: pool }: BookingTask, { statement, dependsOn }: Write, attempts = 1): Book {
  return async (eventId, { userId, lines }) => {
    const [line] = lines;
    if (!line) throw new Error('an order has lines');
    const client = await pool.connect();
    try {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const [, read] = await inOneRoundTrip(client, [
          { statement: BEGIN },
          { statement: READ, values: [eventId, line.ticketTypeId, userId] },
        ]);
        const seen: Seen = JSON.parse(read?.[0] ?? '');
        const isOffered = seen.left >= line.quantity;
        const values = [timeOrderedId(new Date()), eventId, userId, line.ticketTypeId, line.quantity, HOLD_SECONDS];
        const write = { statement, values: [...values, dependsOn(seen)].map(String) };
        const [rows] = await inOneRoundTrip(client, [...(isOffered ? [write] : []), { statement: COMMIT }]);
        if (!isOffered) break;
        if (rows?.length === 1) return { held: true, body: '', replayed: false };
      }
      return { held: false, body: '', replayed: false };
    } finally {
      client.release();
    }
  };
}
// #endregion

export const untilWritten = (task: BookingTask) => bookUnlocked(task, compareAndSet, MAX_ATTEMPTS);

/** Writes back the count that was read, plus its own tickets. */
export const overwrite: Write = {
  statement: writing('overwrite', { where: 'true', held: '$7::int + $5' }),
  dependsOn: ({ held }) => held,
};

const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };
const READ: Statement = {
  name: 'read',
  text: `
    select json_build_object('version', version, 'held', held, 'left', least(capacity - sold - held, max_per_user - (
      select coalesce(sum(places), 0) from bookings
      where event_id = events.id and user_id = $3 and status in ('held', 'confirmed'))))
    from events join ticket_types on event_id = events.id where events.id = $1 and ticket_types.id = $2`,
};

function writing(name: string, { where, held }: { where: string; held: string }): Statement {
  return {
    name,
    text: `
      with event as (
        update events set version = version + 1 where id = $2 and ${where} returning id
      ), wanted as (
        select ticket_types.id, event.id as event_id, price_minor, currency
        from event join ticket_types on event_id = event.id where ticket_types.id = $4
      ), booking as (
        insert into bookings (id, event_id, user_id, places, total_minor, currency, created_at, hold_expires_at)
        select $1, event_id, $3, $5::smallint, $5 * price_minor, currency, statement_timestamp(),
          statement_timestamp() + make_interval(secs => $6::int)
        from wanted
      ), line as (
        insert into booking_lines (booking_id, ticket_type_id, quantity, unit_price_minor)
        select $1, id, $5, price_minor from wanted returning ticket_type_id
      )
      update ticket_types set held = ${held} from line where ticket_types.id = line.ticket_type_id returning held`,
  };
}
