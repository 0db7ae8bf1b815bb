import type { HoldOrder } from '@minitickets/api/booking/hold-batches';
import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { holdMessages, until } from '../frame/interleaving/barriers.ts';
import { atLeast, atMost, exactly } from '../frame/results.ts';
import { type Book, HOLD_SECONDS, shippedWriting } from '../frame/subjects/desks.ts';
import { type House, openHouse } from '../frame/subjects/house.ts';
import * as naive from './naive.ts';

const TASKS = 2;
/** What else the machine does is not to decide: of the two the better time counts. */
const ROUNDS = 2;
const ALONE = 20;
const AT_EACH_TASK = 100;
const CROWD = TASKS * AT_EACH_TASK;
/** As many places as one person may have of an event. */
const EACH_BOOKS = 10;
/** Enough to have every connection opened. */
const REHEARSAL = 20;

type OpenDesk = (task: BookingTask) => Book;

const oneByOne: OpenDesk = ({ writingPool: pool }) =>
  naive.holdBatches({ pool, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, onSoldOut: () => {} });

/** Whoever comes waits until the one before has an answer. */
const inLine: OpenDesk = (task) => {
  const book = shippedWriting(task);
  let last: Promise<unknown> = Promise.resolve();
  return (eventId, order) => {
    const outcome = last.then(() => book(eventId, order));
    last = outcome.catch(() => {});
    return outcome;
  };
};

export default defineExperiment<OpenDesk, 'alone' | 'crowd' | 'faster'>({
  name: 'hot-event',
  claim: 'The more people want one event, the more bookings each transaction carries.',
  load: `One evening is on sale at ${TASKS} tasks. First ${ALONE} bookings come one after the other. Then ${CROWD} come at once, ${AT_EACH_TASK} at each task: no transaction writes before all have come. Then both once more.`,
  measures: {
    alone: `transactions that wrote ${ALONE} bookings one after the other`,
    crowd: `transactions that wrote ${CROWD} bookings that came at once`,
    faster: 'times as many bookings a second in the crowd as one after the other',
  },
  naive: {
    'one-by-one': {
      what: 'each booking is a transaction of its own',
      subject: oneByOne,
      differences: [
        {
          shipped: { file: 'apps/api/src/booking/hold-batches.ts', region: 'together' },
          instead: { file: 'packages/decisions/hot-event/naive.ts', region: 'one-by-one' },
        },
      ],
      mostChangedLines: 13,
      // Who comes alone is served just as well. In a crowd more connections only make a longer line for one row.
      fails: { alone: exactly(ALONE), crowd: exactly(CROWD), faster: atMost(4) },
    },
  },
  shipped: {
    what: 'what arrives while a transaction runs is the next transaction',
    subject: shippedWriting,
    // At each task the first to come is a transaction, and all that came meanwhile is the next one.
    holds: { alone: exactly(ALONE), crowd: exactly(TASKS * 2), faster: atLeast(4) },
  },
  mutation: {
    what: 'the queue hands over one booking at a time',
    subject: inLine,
  },
  prediction: {
    question: `${CROWD} bookings of one evening come at once, ${AT_EACH_TASK} at each of ${TASKS} tasks. In how many transactions are they written, if those that come while one runs are the next one?`,
    arm: 'shipped',
    measure: 'crowd',
  },

  async run(stage, openDesk) {
    const tasks = await stage.bookingTasks(TASKS);
    const { db } = tasks[0] as BookingTask;
    let begun = 0;
    let mayGoOn = Promise.resolve();
    for (const { writingPool } of tasks) {
      holdMessages(writingPool, () => {
        begun += 1;
        return mayGoOn;
      });
    }
    const desks = tasks.map((task) => ({ name: task.name, book: openDesk(task) }));

    /** Has booking `n` of an evening made, at its task. */
    async function sell(house: House, n: number, how: string, progress: { written: number; most: number }) {
      const { name, book } = desks[n % TASKS] as (typeof desks)[number];
      const { held } = await book(house.eventId, orderOf(house, n));
      progress.written += 1;
      stage.emit({ kind: 'request', actor: name, outcome: held ? 'served' : 'refused' });
      const { written: value, most } = progress;
      stage.emit({ kind: 'level', name: `bookings written ${how}`, value, most });
    }

    /** @returns bookings in a millisecond */
    async function oneAfterTheOther(house: House, count: number) {
      const progress = { written: 0, most: count };
      const began = performance.now();
      for (let n = 0; n < count; n += 1) await sell(house, n, 'one after the other', progress);
      return count / (performance.now() - began);
    }

    /** @returns bookings in a millisecond, from when the first transactions may go on */
    async function atOnce(house: House, count: number) {
      const progress = { written: 0, most: count };
      let goOn = () => {};
      begun = 0;
      mayGoOn = new Promise((resolve) => {
        goOn = resolve;
      });
      const sellTo = (n: number) => sell(house, n, 'at once', progress);
      const first = Array.from({ length: TASKS }, (_, n) => sellTo(n));
      await until('each task has a transaction under way', () => begun >= TASKS);
      const others = Array.from({ length: count - TASKS }, (_, n) => sellTo(TASKS + n));
      const began = performance.now();
      goOn();
      await Promise.all([...first, ...others]);
      return count / (performance.now() - began);
    }

    // Connections are opened and statements planned before anything is counted.
    const rehearsal = await houseFor(db, REHEARSAL);
    await Promise.all(
      Array.from({ length: REHEARSAL }, (_, n) => desks[n % TASKS]?.book(rehearsal.eventId, orderOf(rehearsal, n))),
    );
    const rounds: Record<'alone' | 'crowd' | 'aloneRate' | 'crowdRate', number>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [calm, hot] = [await houseFor(db, ALONE), await houseFor(db, CROWD)];
      stage.emit({ kind: 'scene', what: 'one after the other' });
      const aloneRate = await oneAfterTheOther(calm, ALONE);
      stage.emit({ kind: 'scene', what: 'at once' });
      const crowdRate = await atOnce(hot, CROWD);
      const [alone, crowd] = [await transactionsFor(db, calm), await transactionsFor(db, hot)];
      rounds.push({ alone, crowd, aloneRate, crowdRate });
    }
    const most = (of: keyof (typeof rounds)[number]) => Math.max(...rounds.map((round) => round[of]));
    return {
      alone: most('alone'),
      crowd: most('crowd'),
      faster: Math.round((most('crowdRate') / most('aloneRate')) * 10) / 10,
    };
  },
});

const houseFor = (db: Database, bookings: number) =>
  openHouse(db, { capacity: bookings, people: Math.ceil(bookings / EACH_BOOKS) });

function orderOf({ people, ticketTypeId }: House, n: number): HoldOrder {
  const userId = people[Math.floor(n / EACH_BOOKS)] ?? '';
  return { userId, lines: [{ ticketTypeId, quantity: 1 }] };
}

/** In how many transactions the bookings of an event were written: PostgreSQL notes it in each row. */
async function transactionsFor(db: Database, { eventId }: House) {
  const { rows } = await db.execute<{ transactions: number }>(sql`
    select count(distinct xmin::text)::int as transactions from bookings where event_id = ${eventId}`);
  return rows[0]?.transactions ?? Number.NaN;
}
