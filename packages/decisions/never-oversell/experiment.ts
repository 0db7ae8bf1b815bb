import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, openDesks, shippedWriting } from '../frame/subjects/desks.ts';
import { openHouse, placesTaken } from '../frame/subjects/house.ts';
import { countedInRedis, repeatableRead, withoutCounts, withoutLock } from './naive.ts';

const CAPACITY = 20;
const TASKS = 3;
const AT_EACH_TASK = 10;
const RUSH = TASKS * AT_EACH_TASK;
const LATE = 10;

type OpenDesk = (task: BookingTask) => Book;

const holds = 'apps/api/src/queries/holds.ts';
/** The lock and the counts in one statement, which therefore counts what was there before it had the lock. */
const lockedTooLate = [
  ...withoutLock,
  ...edits(
    { file: holds, region: 'counts' },
    {
      from: 'as asked (user_id, key) using (user_id, key)))',
      to: 'as asked (user_id, key) using (user_id, key))) from (select from events where id = $1 for no key update) locked',
    },
  ),
];

const naive = 'packages/decisions/never-oversell/naive.ts';

export default defineExperiment<OpenDesk, 'rush' | 'after-redis-forgot'>({
  name: 'never-oversell',
  claim: 'No place is given twice, whatever happens at once and whatever Redis forgets.',
  load: `A house of ${CAPACITY}. ${AT_EACH_TASK} people at each of ${TASKS} tasks ask for a place at the same moment, so that every transaction begins before the first one ends. Then Redis loses its memory, and ${LATE} more people come, one after the other. The CHECK on the table is taken off: it would turn some of what happens into errors.`,
  measures: {
    rush: `places given in the rush, of ${CAPACITY}`,
    'after-redis-forgot': `places given in the end, of ${CAPACITY}`,
  },
  naive: {
    'read-then-write': {
      what: 'reads what is free, then writes; without a lock',
      subject: (task) => {
        editStatements(task.writingPool, withoutLock);
        return shippedWriting(task);
      },
      differences: [{ edits: withoutLock }],
      mostChangedLines: 2,
      fails: { rush: exactly(RUSH), 'after-redis-forgot': exactly(RUSH) },
    },
    'repeatable-read': {
      what: 'takes the lock, but looks at a snapshot from before it had it',
      subject: (task) => {
        repeatableRead(task.writingPool);
        return shippedWriting(task);
      },
      differences: [{ besides: { file: naive, region: 'isolation' } }],
      mostChangedLines: 4,
      // PostgreSQL notices at the write and fails it: nobody is sold a place twice, and nobody is sold one at all.
      fails: { rush: exactly(AT_EACH_TASK), 'after-redis-forgot': exactly(AT_EACH_TASK + LATE) },
    },
    'counter-in-redis': {
      what: 'counts in Redis, writes down in PostgreSQL',
      subject: (task) => {
        editStatements(task.writingPool, withoutCounts);
        return countedInRedis(task.redis, CAPACITY, shippedWriting(task));
      },
      differences: [{ edits: withoutCounts }, { besides: { file: naive, region: 'counter' } }],
      mostChangedLines: 12,
      fails: { rush: exactly(CAPACITY), 'after-redis-forgot': exactly(CAPACITY + LATE) },
    },
  },
  shipped: {
    what: 'locks the event, then reads, decides and writes',
    subject: shippedWriting,
    holds: { rush: exactly(CAPACITY), 'after-redis-forgot': exactly(CAPACITY) },
  },
  mutation: {
    what: 'the lock and the counts are one statement',
    subject: (task) => {
      editStatements(task.writingPool, lockedTooLate);
      return shippedWriting(task);
    },
  },
  prediction: {
    question: `${RUSH} people want ${CAPACITY} places at once. How many does a shop give away that reads, then writes?`,
    arm: 'read-then-write',
    measure: 'rush',
  },

  async run(stage, openDesk) {
    const { db, rush, queue } = await openDesks(stage, TASKS, openDesk);
    await db.execute(sql`alter table ticket_types drop constraint if exists ticket_types_never_oversold`);
    const house = await openHouse(db, { capacity: CAPACITY, people: RUSH + LATE });
    const look = async () => {
      const taken = await placesTaken(db, house);
      stage.emit({ kind: 'level', name: 'places', value: taken, most: CAPACITY });
      return taken;
    };

    await rush(house, house.people.slice(0, RUSH));
    const afterTheRush = await look();
    stage.emit({ kind: 'scene', what: 'Redis loses its memory' });
    await stage.forget();
    await queue(house, house.people.slice(RUSH));
    return { rush: afterTheRush, 'after-redis-forgot': await look() };
  },
});
