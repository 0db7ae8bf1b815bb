import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { type Edit, edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, HOLD_SECONDS, openDesks, shippedWriting } from '../frame/subjects/desks.ts';
import { openHouse, placesTaken } from '../frame/subjects/house.ts';
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
  claim: 'Nobody goes without a place while places are free.',
  load: `A house of ${CAPACITY}. ${CAPACITY} people ask for a place each, at ${TASKS} tasks and at the same moment. Nobody pays, and the time of their holds passes. In the next moment ${CAPACITY} other people ask.`,
  measures: {
    rush: `places given to the first ${CAPACITY} people`,
    'after-the-holds': `places given to the next ${CAPACITY}`,
  },
  naive: {
    'try-lock': {
      what: 'who finds the event locked is told to come again',
      subject: edited(withoutWaiting),
      differences: [{ edits: withoutWaiting }],
      mostChangedLines: 2,
      fails: { rush: exactly(CAPACITY / TASKS), 'after-the-holds': exactly(CAPACITY / TASKS) },
    },
    'job-only': {
      what: 'ended holds are found by a job that comes every second',
      subject: edited(endedByTheJobAlone),
      differences: [{ edits: endedByTheJobAlone }],
      mostChangedLines: 2,
      fails: { rush: exactly(CAPACITY), 'after-the-holds': exactly(0) },
    },
  },
  shipped: {
    what: 'waits for the lock, and ends holds itself before it decides',
    subject: shippedWriting,
    holds: { rush: exactly(CAPACITY), 'after-the-holds': exactly(CAPACITY) },
  },
  mutation: {
    what: 'one place is kept back to be on the safe side',
    subject: edited(
      edits(
        { file: 'apps/api/src/queries/holds.ts', region: 'counts' },
        { from: 'capacity - sold - held', to: 'capacity - sold - held - 1' },
      ),
    ),
  },
  prediction: {
    question: `${CAPACITY} people want ${CAPACITY} places, in three transactions at once. How many get one if who finds the event locked is sent away?`,
    arm: 'try-lock',
    measure: 'rush',
  },

  async run(stage, openDesk) {
    const { db, rush } = await openDesks(stage, TASKS, openDesk);
    const house = await openHouse(db, { capacity: CAPACITY, people: 2 * CAPACITY });
    const look = async () => {
      const taken = await placesTaken(db, house);
      stage.emit({ kind: 'level', name: 'places', value: taken, most: CAPACITY });
      return taken;
    };

    await rush(house, house.people.slice(0, CAPACITY));
    const first = await look();
    stage.emit({ kind: 'scene', what: 'the holds end' });
    // Their time passes: what they were to last lies behind them.
    await db.execute(sql`
      update bookings set created_at = created_at - make_interval(secs => ${HOLD_SECONDS}),
        hold_expires_at = hold_expires_at - make_interval(secs => ${HOLD_SECONDS})
      where event_id = ${house.eventId}`);
    await rush(house, house.people.slice(CAPACITY));
    return { rush: first, 'after-the-holds': await look() };
  },
});
