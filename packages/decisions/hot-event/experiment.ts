import type { HoldOrder } from '@minitickets/api/booking/hold-batches';
import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { holdMessages, until } from '../frame/interleaving/barriers.ts';
import { atLeast, atMost, exactly } from '../frame/results.ts';
import { type Book, HOLD_SECONDS, shippedWriting } from '../frame/subjects/desks.ts';
import { type EventOnSale, openEvent } from '../frame/subjects/event-on-sale.ts';
import * as naive from './naive.ts';

const TASKS = 2;
/** The best of two rounds counts, so that other load on the machine doesn't decide. */
const ROUNDS = 2;
const ALONE = 20;
const AT_EACH_TASK = 100;
const CROWD = TASKS * AT_EACH_TASK;
/** The limit per person. */
const EACH_BOOKS = 10;
/** Warm-up bookings, enough to open every connection. */
const REHEARSAL = 20;

type OpenDesk = (task: BookingTask) => Book;

const oneByOne: OpenDesk = ({ writingPool: pool }) =>
  naive.holdBatches({ pool, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, onSoldOut: () => {} });

/** Sends one booking at a time: each waits for the response to the one before. */
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
  claim: 'The more buyers want one event, the more bookings share a transaction.',
  load: `One event on sale at ${TASKS} tasks. First ${ALONE} bookings arrive sequentially. Then ${CROWD} arrive concurrently, ${AT_EACH_TASK} at each task: the first transactions are held until all have arrived. Then both once more.`,
  measures: {
    alone: `transactions for ${ALONE} sequential bookings`,
    crowd: `transactions for ${CROWD} concurrent bookings`,
    faster: 'times the sequential throughput, in the rush',
  },
  naive: {
    'one-by-one': {
      what: 'one transaction per booking',
      subject: oneByOne,
      differences: [
        {
          shipped: { file: 'apps/api/src/booking/hold-batches.ts', region: 'together' },
          instead: { file: 'packages/decisions/hot-event/naive.ts', region: 'one-by-one' },
        },
      ],
      mostChangedLines: 13,
      // Sequentially it's as good. In a rush more connections only lengthen the queue for the row's lock.
      fails: { alone: exactly(ALONE), crowd: exactly(CROWD), faster: atMost(4) },
    },
  },
  shipped: {
    what: 'group commit: bookings that arrive while a transaction runs share the next one',
    subject: shippedWriting,
    // At each task, one transaction for the first booking and one for all that arrived meanwhile.
    holds: { alone: exactly(ALONE), crowd: exactly(TASKS * 2), faster: atLeast(4) },
  },
  mutation: {
    what: 'the queue hands one booking over at a time',
    subject: inLine,
  },
  prediction: {
    question: `${CROWD} concurrent bookings of one event, ${AT_EACH_TASK} at each of ${TASKS} tasks: how many transactions does group commit need?`,
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

    /** Makes booking `n` at its task. */
    async function sell(sale: EventOnSale, n: number, how: string, progress: { written: number; most: number }) {
      const { name, book } = desks[n % TASKS] as (typeof desks)[number];
      const { held } = await book(sale.eventId, orderOf(sale, n));
      progress.written += 1;
      stage.emit({ kind: 'request', actor: name, outcome: held ? 'served' : 'refused' });
      const { written: value, most } = progress;
      stage.emit({ kind: 'level', name: `bookings written ${how}`, value, most });
    }

    /** @returns bookings per millisecond */
    async function oneAfterTheOther(sale: EventOnSale, count: number) {
      const progress = { written: 0, most: count };
      const began = performance.now();
      for (let n = 0; n < count; n += 1) await sell(sale, n, 'sequentially', progress);
      return count / (performance.now() - began);
    }

    /** @returns bookings per millisecond, from the moment the first transactions are released */
    async function atOnce(sale: EventOnSale, count: number) {
      const progress = { written: 0, most: count };
      let goOn = () => {};
      begun = 0;
      mayGoOn = new Promise((resolve) => {
        goOn = resolve;
      });
      const sellTo = (n: number) => sell(sale, n, 'concurrently', progress);
      const first = Array.from({ length: TASKS }, (_, n) => sellTo(n));
      await until('each task has a transaction in flight', () => begun >= TASKS);
      const others = Array.from({ length: count - TASKS }, (_, n) => sellTo(TASKS + n));
      const began = performance.now();
      goOn();
      await Promise.all([...first, ...others]);
      return count / (performance.now() - began);
    }

    // Warms up connections and prepared statements before anything is counted.
    const rehearsal = await saleFor(db, REHEARSAL);
    await Promise.all(
      Array.from({ length: REHEARSAL }, (_, n) => desks[n % TASKS]?.book(rehearsal.eventId, orderOf(rehearsal, n))),
    );
    const rounds: Record<'alone' | 'crowd' | 'aloneRate' | 'crowdRate', number>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [calm, hot] = [await saleFor(db, ALONE), await saleFor(db, CROWD)];
      stage.emit({ kind: 'scene', what: 'sequentially' });
      const aloneRate = await oneAfterTheOther(calm, ALONE);
      stage.emit({ kind: 'scene', what: 'concurrently' });
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

const saleFor = (db: Database, bookings: number) =>
  openEvent(db, { capacity: bookings, people: Math.ceil(bookings / EACH_BOOKS) });

function orderOf({ people, ticketTypeId }: EventOnSale, n: number): HoldOrder {
  const userId = people[Math.floor(n / EACH_BOOKS)] ?? '';
  return { userId, lines: [{ ticketTypeId, quantity: 1 }] };
}

/** Counts the transactions that wrote an event's bookings: PostgreSQL stores the writer's id in each row (`xmin`). */
async function transactionsFor(db: Database, { eventId }: EventOnSale) {
  const { rows } = await db.execute<{ transactions: number }>(sql`
    select count(distinct xmin::text)::int as transactions from bookings where event_id = ${eventId}`);
  return rows[0]?.transactions ?? Number.NaN;
}
