import { sql } from 'drizzle-orm';
import type { BookingTask, Stage } from '../frame/arena.ts';
import { recordSteps } from '../frame/interleaving/race.ts';
import { readLocks, type Telling, takeTurnsByStatement, waitsForLock } from '../frame/interleaving/statement-turns.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { shippedWriting } from '../frame/subjects/desks.ts';
import { openHouse, placesTaken } from '../frame/subjects/house.ts';
import { withoutLock } from './naive.ts';

const CAPACITY = 1;

/** Two requests for the last place, each at a task of its own. The CHECK is off, as in the experiment. */
export const races = [
  {
    arm: 'read-then-write',
    title: 'Reads what is free, then writes; without a lock',
    record: (stage: Stage) => record(stage, ({ writingPool }) => editStatements(writingPool, withoutLock)),
  },
  {
    arm: 'shipped',
    title: 'Locks the event, then reads, decides and writes',
    record: (stage: Stage) => record(stage, () => {}),
  },
];

const actors = [
  { name: 'A', what: 'wants the last place, at task 1' },
  { name: 'B', what: 'wants the last place, at task 2' },
];

const free = (inventory = '{}') => JSON.parse(inventory).ticketTypes?.[0]?.free;
const tell: Record<string, Telling> = {
  begin: { what: 'begins a transaction', result: () => 'begun' },
  lock_event: {
    what: 'asks for the event’s row',
    result: (rows) => `the event is ${JSON.parse(rows[0] ?? '{}').status}`,
  },
  hold_if_clear: {
    what: 'books in one statement, if a place is free',
    result: (rows) => (rows.length > 0 ? 'a booking' : 'no booking: something is in its way, and it has to decide'),
  },
  read_inventory: { what: 'reads what is free', result: (rows) => `free: ${free(rows[0])}` },
  insert_holds: { what: 'writes the booking', result: () => 'written' },
  commit: { what: 'commits', result: () => 'committed' },
};

async function record(stage: Stage, alter: (task: BookingTask) => void) {
  const { db } = await stage.connectPostgres('observer');
  const tasks = await stage.bookingTasks(actors.length);
  await db.execute(sql`alter table ticket_types drop constraint if exists ticket_types_never_oversold`);
  const house = await openHouse(db, { capacity: CAPACITY, people: actors.length });
  const taskOf = (actor: string) => tasks[actors.findIndex(({ name }) => name === actor)] as BookingTask;

  const answers: string[] = [];
  const steps = await recordSteps(
    actors.map(({ name }, index) => ({
      name,
      async run(takeTurn) {
        const task = taskOf(name);
        takeTurnsByStatement(task.writingPool, takeTurn, tell);
        alter(task);
        const lines = [{ ticketTypeId: house.ticketTypeId, quantity: 1 }];
        const { held } = await shippedWriting(task)(house.eventId, { userId: house.people[index] ?? '', lines });
        answers.push(`${name} is told ${held ? '"held"' : '"sold out"'}`);
      },
    })),
    {
      isBlocked: (actor) => waitsForLock(db, taskOf(actor).name),
      async look() {
        const { rows } = await db.execute<{ capacity: number; held: number; sold: number }>(
          sql`select capacity, held, sold from ticket_types where id = ${house.ticketTypeId}`,
        );
        const locks = await readLocks(db, (task) => actors[tasks.findIndex(({ name }) => name === task)]?.name ?? task);
        return { row: { ...rows[0] }, locks };
      },
    },
  );
  const taken = await placesTaken(db, house);
  return { actors, steps, ending: `${answers.toSorted().join(', ')}: places given away: ${taken}, of ${CAPACITY}.` };
}
