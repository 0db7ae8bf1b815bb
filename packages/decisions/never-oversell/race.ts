import { sql } from 'drizzle-orm';
import type { BookingTask, Stage } from '../frame/arena.ts';
import { recordSteps } from '../frame/interleaving/race.ts';
import {
  type Description,
  readLocks,
  takeTurnsByStatement,
  waitsForLock,
} from '../frame/interleaving/statement-turns.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { shippedWriting } from '../frame/subjects/desks.ts';
import { openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { withoutLock } from './naive.ts';

const CAPACITY = 1;

/** Two requests for the last ticket, at two tasks. The CHECK constraint is dropped, as in the experiment. */
export const races = [
  {
    arm: 'read-then-write',
    title: 'Reads what is free, then writes; without a lock',
    record: (stage: Stage) =>
      record(stage, 'reads the event’s row, without a lock', ({ writingPool }) =>
        editStatements(writingPool, withoutLock),
      ),
  },
  {
    arm: 'shipped',
    title: 'Locks the event, then reads, decides and writes',
    record: (stage: Stage) => record(stage, 'locks the event’s row', () => {}),
  },
];

const actors = [
  { name: 'A', what: 'wants the last ticket, at task 1' },
  { name: 'B', what: 'wants the last ticket, at task 2' },
];

const free = (inventory = '{}') => JSON.parse(inventory).ticketTypes?.[0]?.free;
/** Describes each statement. `lock_event` is the one that the naive arm changes. */
const describe = (lockEvent: string): Record<string, Description> => ({
  begin: { what: 'begins a transaction', result: () => 'transaction started' },
  lock_event: {
    what: lockEvent,
    result: (rows) => `the event is ${JSON.parse(rows[0] ?? '{}').status}`,
  },
  hold_if_clear: {
    what: 'books in one statement, if a ticket is free',
    result: (rows) => (rows.length > 0 ? 'a booking' : 'no booking: a condition failed, so it goes on as a batch'),
  },
  read_inventory: { what: 'reads what is free', result: (rows) => `free: ${free(rows[0])}` },
  insert_holds: { what: 'writes the booking', result: () => 'written' },
  commit: { what: 'commits', result: () => 'committed' },
});

async function record(stage: Stage, lockEvent: string, alter: (task: BookingTask) => void) {
  const { db } = await stage.connectPostgres('observer');
  const tasks = await stage.bookingTasks(actors.length);
  await db.execute(sql`alter table ticket_types drop constraint if exists ticket_types_never_oversold`);
  const sale = await openEvent(db, { capacity: CAPACITY, people: actors.length });
  const taskOf = (actor: string) => tasks[actors.findIndex(({ name }) => name === actor)] as BookingTask;

  const answers: string[] = [];
  const steps = await recordSteps(
    actors.map(({ name }, index) => ({
      name,
      async run(takeTurn) {
        const task = taskOf(name);
        takeTurnsByStatement(task.writingPool, takeTurn, describe(lockEvent));
        alter(task);
        const lines = [{ ticketTypeId: sale.ticketTypeId, quantity: 1 }];
        const { held } = await shippedWriting(task)(sale.eventId, { userId: sale.people[index] ?? '', lines });
        answers.push(`${name} gets ${held ? '"held"' : '"sold out"'}`);
      },
    })),
    {
      isBlocked: (actor) => waitsForLock(db, taskOf(actor).name),
      async look() {
        const { rows } = await db.execute<{ capacity: number; held: number; sold: number }>(
          sql`select capacity, held, sold from ticket_types where id = ${sale.ticketTypeId}`,
        );
        const locks = await readLocks(db, (task) => actors[tasks.findIndex(({ name }) => name === task)]?.name ?? task);
        return { row: { ...rows[0] }, locks };
      },
    },
  );
  const taken = await ticketsTaken(db, sale);
  return { actors, steps, ending: `${answers.toSorted().join(', ')}: tickets given out: ${taken}, of ${CAPACITY}.` };
}
