import { HOLD_IF_CLEAR } from '@minitickets/api/queries/holds';
import { insertTicketTypes } from '@minitickets/api/queries/ticket-types';
import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { holdMessages, until } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, shippedWriting } from '../frame/subjects/desks.ts';
import { type EventOnSale, openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { bookUnlocked, compareAndSet, isolate, overwrite, retried, untilWritten, withoutLock } from './naive.ts';

const BUYERS = 6;
/** Every round of conflicts has one winner, and all others try again: 6 + 5 + … + 1. */
const EVERY_ROUND = (BUYERS * (BUYERS + 1)) / 2;
const PER_PERSON = 10;

type OpenDesk = (task: BookingTask) => Book;

/** A lone booking's single statement would leave no time between reading and writing: no arm uses it. */
const inTwoSteps = edits(
  { file: 'apps/api/src/queries/holds.ts', region: 'at-once' },
  {
    from: HOLD_IF_CLEAR.text,
    to: `select null where false and ($1::uuid, $2::uuid, $3::uuid, $4::uuid[], $5::smallint[], $6::int, $7::text, $8::text) is null`,
  },
);

const naive = (region: string) => ({ file: 'packages/decisions/optimistic-or-pessimistic/naive.ts', region });
const unlocked = [{ edits: withoutLock }, { besides: naive('isolation') }];
const versioned = [{ shipped: { file: 'apps/api/src/queries/holds.ts', region: 'lock' }, instead: naive('version') }];

const isolatedDesk =
  (level: 'repeatable read' | 'serializable'): OpenDesk =>
  (task) => {
    isolate(task.writingPool, level);
    editStatements(task.writingPool, withoutLock);
    return retried(shippedWriting(task));
  };

export default defineExperiment<OpenDesk, 'served' | 'counted' | 'writes' | 'person'>({
  name: 'optimistic-or-pessimistic',
  claim: 'Under contention every buyer is served by one write, and no limit is passed.',
  load: `An event with two ticket types and enough tickets for all. ${BUYERS} buyers ask for one ticket each, concurrently at ${BUYERS} tasks. Then one person, who may have ${PER_PERSON} tickets, asks for ${PER_PERSON} of one type at one task and for ${PER_PERSON} of the other at another. No transaction writes before all have read or wait for a lock; that holds for each round of retries.`,
  measures: {
    served: `of ${BUYERS} buyers, with a ticket`,
    counted: 'tickets that the counter shows as held, after the buyers',
    writes: `writes sent to PostgreSQL for the ${BUYERS} buyers`,
    person: `tickets of the person who may have ${PER_PERSON}`,
  },
  naive: {
    'read-modify-write': {
      what: 'reads the count, adds to it, writes it back (lost update)',
      subject: (task) => bookUnlocked(task, overwrite),
      differences: versioned,
      mostChangedLines: 50,
      fails: { served: exactly(BUYERS), counted: exactly(1), writes: exactly(BUYERS), person: exactly(2 * PER_PERSON) },
    },
    'version-once': {
      what: 'optimistic: a version column, and no retry',
      subject: (task) => bookUnlocked(task, compareAndSet),
      differences: versioned,
      mostChangedLines: 50,
      fails: { served: exactly(1), counted: exactly(1), writes: exactly(BUYERS), person: exactly(PER_PERSON) },
    },
    'version-with-retry': {
      what: 'optimistic: a version column, tried again after each conflict',
      subject: untilWritten,
      differences: versioned,
      mostChangedLines: 50,
      fails: {
        ...{ served: exactly(BUYERS), counted: exactly(BUYERS) },
        ...{ writes: exactly(EVERY_ROUND), person: exactly(PER_PERSON) },
      },
    },
    'repeatable-read': {
      what: 'REPEATABLE READ, tried again after each 40001 (write skew)',
      subject: isolatedDesk('repeatable read'),
      differences: unlocked,
      mostChangedLines: 22,
      fails: {
        ...{ served: exactly(BUYERS), counted: exactly(BUYERS) },
        ...{ writes: exactly(EVERY_ROUND), person: exactly(2 * PER_PERSON) },
      },
    },
    serializable: {
      what: 'SERIALIZABLE, tried again after each 40001',
      subject: isolatedDesk('serializable'),
      differences: unlocked,
      mostChangedLines: 22,
      fails: {
        ...{ served: exactly(BUYERS), counted: exactly(BUYERS) },
        ...{ writes: exactly(EVERY_ROUND), person: exactly(PER_PERSON) },
      },
    },
  },
  shipped: {
    what: 'pessimistic: locks the event, then reads, decides and writes',
    subject: shippedWriting,
    holds: {
      ...{ served: exactly(BUYERS), counted: exactly(BUYERS) },
      ...{ writes: exactly(BUYERS), person: exactly(PER_PERSON) },
    },
  },
  mutation: {
    what: 'adds to the count relatively, but takes no lock',
    subject: (task) => {
      editStatements(task.writingPool, withoutLock);
      return shippedWriting(task);
    },
  },
  prediction: {
    question: `${BUYERS} buyers want a ticket of the same event at the same instant, and there are enough. How many writes does a version column need, if each conflict is tried again?`,
    arm: 'version-with-retry',
    measure: 'writes',
  },

  async run(stage, openDesk) {
    const { db } = await stage.connectPostgres('observer');
    const tasks = await stage.bookingTasks(BUYERS);
    await db.execute(sql`alter table events add column if not exists version integer not null default 0`);
    // A sequence keeps what an aborted transaction counted.
    await db.execute(sql`drop sequence if exists writes cascade`);
    await db.execute(sql`create sequence writes`);
    await db.execute(sql`
      create or replace function count_write() returns trigger language plpgsql as
      $$ begin perform nextval('writes'); return null; end $$`);
    await db.execute(sql`
      create or replace trigger count_write before insert on booking_lines for each statement execute function count_write()`);

    const turns = inRounds((names) => waitingForLock(names));
    async function waitingForLock(names: readonly string[]) {
      const { rows } = await db.execute<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity
        where wait_event_type = 'Lock' and application_name in ${names.map((name) => `minitickets ${name}`)}`);
      return rows[0]?.count ?? 0;
    }
    const desks = tasks.map((task) => {
      const turn = turns.participant(task.name);
      holdMessages(task.writingPool, turn.beforeMessage);
      editStatements(task.writingPool, inTwoSteps);
      return { ...turn, name: task.name, book: openDesk(task) };
    });

    /** Makes these orders concurrently, each at a task of its own. */
    async function race(orders: { userId: string; ticketTypeId: string; quantity: number }[], sale: EventOnSale) {
      for (const [index] of orders.entries()) desks[index]?.begin();
      const releasing = turns.release();
      await Promise.all(
        orders.map(async ({ userId, ...line }, index) => {
          const desk = desks[index] as (typeof desks)[number];
          const { held } = await desk.book(sale.eventId, { userId, lines: [line] }).finally(desk.end);
          stage.emit({ kind: 'request', actor: desk.name, outcome: held ? 'served' : 'refused' });
        }),
      );
      await releasing;
    }

    const sale = await openEvent(db, { capacity: 100, people: BUYERS + 1 });
    const [balcony] = await insertTicketTypes(db, sale.eventId, [
      { name: 'Balcony', priceMinor: 1500, currency: 'EUR', capacity: 100 },
    ]);
    const { ticketTypeId } = sale;
    await race(
      sale.people.slice(0, BUYERS).map((userId) => ({ userId, ticketTypeId, quantity: 1 })),
      sale,
    );
    const served = await ticketsTaken(db, sale);
    const { rows: counts } = await db.execute<{ counted: number; writes: number }>(sql`
      select held as counted, (select last_value::int from writes) as writes from ticket_types where id = ${ticketTypeId}`);

    const userId = sale.people[BUYERS] ?? '';
    stage.emit({ kind: 'scene', what: 'one person, two tasks' });
    await race(
      [ticketTypeId, balcony?.id ?? ''].map((id) => ({ userId, ticketTypeId: id, quantity: PER_PERSON })),
      sale,
    );
    const { rows: own } = await db.execute<{ tickets: number }>(sql`
      select coalesce(sum(places), 0)::int as tickets from bookings where user_id = ${userId}`);
    return {
      served,
      counted: counts[0]?.counted ?? Number.NaN,
      writes: counts[0]?.writes ?? Number.NaN,
      person: own[0]?.tickets ?? Number.NaN,
    };
  },
});

/**
 * Rounds of a race: a write is held until every participant has read and wants to write, or waits for a lock before its read. Then
 * all held writes are sent together, and the next round begins when they are done.
 */
function inRounds(waitingForLock: (names: readonly string[]) => Promise<number>) {
  type State = 'reading' | 'held' | 'writing';
  const states = new Map<string, State>();
  const send: (() => void)[] = [];
  const namesIn = (state: State) => [...states].filter(([, its]) => its === state).map(([name]) => name);

  async function isComplete() {
    if (states.size === 0) return true;
    if (namesIn('held').length === 0 || namesIn('writing').length > 0) return false;
    const reading = namesIn('reading');
    return reading.length === 0 || (await waitingForLock(reading)) === reading.length;
  }
  return {
    participant: (name: string) => ({
      begin: () => void states.set(name, 'reading'),
      end: () => void states.delete(name),
      /** The first message in a transaction that has read is its write. After a failed write it is a rollback. */
      beforeMessage({ inTransaction }: { inTransaction: boolean }): Promise<void> {
        const isWrite = inTransaction && states.get(name) === 'reading';
        if (states.has(name)) states.set(name, isWrite ? 'held' : 'reading');
        return isWrite ? new Promise((resolve) => send.push(resolve)) : Promise.resolve();
      },
    }),
    /** Releases one round after the other, until no participant is left. */
    async release() {
      while (states.size > 0) {
        await until('every transaction has read or waits for a lock', isComplete);
        const held = namesIn('held');
        for (const name of held) states.set(name, 'writing');
        for (const resolve of send.splice(0)) resolve();
      }
    },
  };
}
