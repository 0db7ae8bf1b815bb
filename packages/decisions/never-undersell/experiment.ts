import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, HOLD_SECONDS, openDesks, shippedWriting } from '../frame/subjects/desks.ts';
import { openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { endedByTheJobAlone, withoutWaiting } from './naive.ts';

const CAPACITY = 30;
const TASKS = 3;

type OpenDesk = (task: BookingTask) => Book;

const edited =
  (changes: Edit[]): OpenDesk =>
  (task) => {
    editStatements(task.writingPool, changes);
    return shippedWriting(task);
  };

export default defineExperiment<OpenDesk, 'rush' | 'after-the-holds'>({
  name: 'never-undersell',
  claim: 'No buyer is refused while tickets are free.',
  load: `An event with ${CAPACITY} tickets. ${CAPACITY} buyers ask for one each, concurrently at ${TASKS} tasks. Nobody pays, and their holds expire. Immediately afterwards ${CAPACITY} other buyers ask.`,
  measures: {
    rush: `tickets given to the first ${CAPACITY} buyers`,
    'after-the-holds': `tickets given to the next ${CAPACITY}`,
  },
  naive: {
    'try-lock': {
      what: 'a buyer who finds the event locked is refused (NOWAIT)',
      subject: edited(withoutWaiting),
      differences: [{ edits: withoutWaiting }],
      mostChangedLines: 2,
      fails: { rush: exactly(CAPACITY / TASKS), 'after-the-holds': exactly(CAPACITY / TASKS) },
    },
    'job-only': {
      what: 'only a background job expires holds, every second',
      subject: edited(endedByTheJobAlone),
      differences: [{ edits: endedByTheJobAlone }],
      mostChangedLines: 2,
      fails: { rush: exactly(CAPACITY), 'after-the-holds': exactly(0) },
    },
  },
  shipped: {
    what: 'waits for the lock, and expires holds itself before it decides',
    subject: shippedWriting,
    holds: { rush: exactly(CAPACITY), 'after-the-holds': exactly(CAPACITY) },
  },
  mutation: {
    what: 'keeps back one ticket as a safety margin',
    subject: edited(
      edits(
        { file: 'apps/api/src/queries/holds.ts', region: 'counts' },
        { from: 'capacity - sold - held', to: 'capacity - sold - held - 1' },
      ),
    ),
  },
  prediction: {
    question: `${CAPACITY} buyers want ${CAPACITY} tickets, in three concurrent transactions. How many get one if a buyer who finds the event locked is refused?`,
    arm: 'try-lock',
    measure: 'rush',
  },

  async run(stage, openDesk) {
    const { db, rush } = await openDesks(stage, TASKS, openDesk);
    const sale = await openEvent(db, { capacity: CAPACITY, people: 2 * CAPACITY });
    const look = async () => {
      const taken = await ticketsTaken(db, sale);
      stage.emit({ kind: 'level', name: 'tickets', value: taken, most: CAPACITY });
      return taken;
    };

    await rush(sale, sale.people.slice(0, CAPACITY));
    const first = await look();
    stage.emit({ kind: 'scene', what: 'the holds expire' });
    // Moves their times into the past instead of waiting.
    await db.execute(sql`
      update bookings set created_at = created_at - make_interval(secs => ${HOLD_SECONDS}),
        hold_expires_at = hold_expires_at - make_interval(secs => ${HOLD_SECONDS})
      where event_id = ${sale.eventId}`);
    await rush(sale, sale.people.slice(CAPACITY));
    return { rush: first, 'after-the-holds': await look() };
  },
});
