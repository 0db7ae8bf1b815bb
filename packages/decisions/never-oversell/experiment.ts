import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, openDesks, shippedWriting } from '../frame/subjects/desks.ts';
import { openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { countedInRedis, repeatableRead, withoutCounts, withoutLock } from './naive.ts';

const CAPACITY = 20;
const TASKS = 3;
const AT_EACH_TASK = 10;
const RUSH = TASKS * AT_EACH_TASK;
const LATE = 10;

type OpenDesk = (task: BookingTask) => Book;

const holds = 'apps/api/src/queries/holds.ts';
/** Locks and counts in one statement, whose snapshot is from before the wait. */
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
  claim: 'No ticket is sold twice, at any concurrency and whatever Redis loses.',
  load: `An event with ${CAPACITY} tickets. ${AT_EACH_TASK} buyers at each of ${TASKS} tasks ask for one concurrently, so that every transaction begins before the first one ends. Then Redis loses its data, and ${LATE} more buyers come, one after the other. The CHECK constraint is dropped: it would turn some of the oversell into errors.`,
  measures: {
    rush: `tickets given out in the rush, of ${CAPACITY}`,
    'after-redis-forgot': `tickets given out in the end, of ${CAPACITY}`,
  },
  naive: {
    'read-then-write': {
      what: 'check-then-act: reads what is free, then writes, without a lock',
      subject: (task) => {
        editStatements(task.writingPool, withoutLock);
        return shippedWriting(task);
      },
      differences: [{ edits: withoutLock }],
      mostChangedLines: 2,
      fails: { rush: exactly(RUSH), 'after-redis-forgot': exactly(RUSH) },
    },
    'repeatable-read': {
      what: 'takes the lock, but reads a stale snapshot (REPEATABLE READ)',
      subject: (task) => {
        repeatableRead(task.writingPool);
        return shippedWriting(task);
      },
      differences: [{ besides: { file: naive, region: 'isolation' } }],
      mostChangedLines: 4,
      // PostgreSQL rejects the write as a serialization failure: nobody is oversold, and most buyers get an error.
      fails: { rush: exactly(AT_EACH_TASK), 'after-redis-forgot': exactly(AT_EACH_TASK + LATE) },
    },
    'counter-in-redis': {
      what: 'counts in Redis, records in PostgreSQL',
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
    what: 'locks and counts in one statement',
    subject: (task) => {
      editStatements(task.writingPool, lockedTooLate);
      return shippedWriting(task);
    },
  },
  prediction: {
    question: `${RUSH} buyers want ${CAPACITY} tickets concurrently. How many does a shop give out that reads, then writes?`,
    arm: 'read-then-write',
    measure: 'rush',
  },

  async run(stage, openDesk) {
    const { db, rush, queue } = await openDesks(stage, TASKS, openDesk);
    await db.execute(sql`alter table ticket_types drop constraint if exists ticket_types_never_oversold`);
    const sale = await openEvent(db, { capacity: CAPACITY, people: RUSH + LATE });
    const look = async () => {
      const taken = await ticketsTaken(db, sale);
      stage.emit({ kind: 'level', name: 'tickets', value: taken, most: CAPACITY });
      return taken;
    };

    await rush(sale, sale.people.slice(0, RUSH));
    const afterTheRush = await look();
    stage.emit({ kind: 'scene', what: 'Redis loses its data' });
    await stage.forget();
    await queue(sale, sale.people.slice(RUSH));
    return { rush: afterTheRush, 'after-redis-forgot': await look() };
  },
});
