import { sql } from 'drizzle-orm';
import type { BookingTask } from '../frame/arena.ts';
import { edits } from '../frame/edits.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { gateUntil, holdMessages } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { editStatements } from '../frame/subjects/altered-stores.ts';
import { type Book, shippedDesk, shippedWriting } from '../frame/subjects/desks.ts';
import { openEvent } from '../frame/subjects/event-on-sale.ts';
import { lookThenBook, rememberedInRedis } from './naive.ts';

const TASKS = 3;

type OpenDesk = (task: BookingTask) => Book;

const claim = { file: 'apps/api/src/booking/booking-desk.ts', region: 'claim' };
const naive = (region: string) => ({ file: 'packages/decisions/double-click/naive.ts', region });

/** Writes the record only for requests without a key, so never. */
const unrecorded = edits(
  { file: 'apps/api/src/queries/holds.ts', region: 'at-once' },
  { from: ' is not null', to: ' is null' },
);

export default defineExperiment<OpenDesk, 'at-once' | 'after-redis-forgot'>({
  name: 'double-click',
  claim: 'One click is one booking, however often it arrives and whatever Redis loses.',
  load: `A buyer clicks "book" ${TASKS} times with the same Idempotency-Key, each click at a different one of ${TASKS} tasks; a barrier holds every write until all clicks are about to write. Then Redis loses its data, and the buyer clicks once more.`,
  measures: {
    'at-once': `bookings after ${TASKS} concurrent clicks`,
    'after-redis-forgot': 'bookings after one more click, after Redis has lost its data',
  },
  naive: {
    'look-then-book': {
      what: 'check-then-act: looks the key up, books, stores the key',
      subject: (task) => lookThenBook(task, shippedWriting(task)),
      differences: [{ shipped: claim, instead: naive('look-then-book') }],
      mostChangedLines: 26,
      fails: { 'at-once': exactly(TASKS), 'after-redis-forgot': exactly(TASKS) },
    },
    'remembered-in-redis': {
      what: 'claims the key in Redis and stores the response there',
      subject: (task) => rememberedInRedis(task, shippedWriting(task)),
      differences: [{ shipped: claim, instead: naive('remembered-in-redis') }],
      mostChangedLines: 28,
      fails: { 'at-once': exactly(1), 'after-redis-forgot': exactly(2) },
    },
  },
  shipped: {
    what: 'claims the key in Redis and records it in the transaction that books',
    subject: shippedDesk,
    holds: { 'at-once': exactly(1), 'after-redis-forgot': exactly(1) },
  },
  mutation: {
    what: 'the transaction that books does not record the key',
    subject: (task) => {
      editStatements(task.writingPool, unrecorded);
      return shippedDesk(task);
    },
  },
  prediction: {
    question: `Three concurrent clicks with one key, at three tasks: how many bookings if each looks the key up first?`,
    arm: 'look-then-book',
    measure: 'at-once',
  },

  async run(stage, openDesk) {
    const { db } = await stage.connectPostgres('observer');
    const sale = await openEvent(db, { capacity: 10, people: 1 });
    const [userId = ''] = sale.people;
    const idempotency = { key: 'the one click', fingerprint: 'the one request' };
    const order = { userId, lines: [{ ticketTypeId: sale.ticketTypeId, quantity: 1 }], idempotency };

    const tasks = await stage.bookingTasks(TASKS);
    // Holds every write until each click is either answered or about to write.
    let unanswered = TASKS;
    let aboutToWrite = 0;
    const gate = gateUntil('all clicks are answered or about to write', () => aboutToWrite >= unanswered);
    for (const { writingPool } of tasks) {
      holdMessages(writingPool, () => {
        aboutToWrite += 1;
        return gate();
      });
    }
    const desks = tasks.map((task) => ({ name: task.name, book: openDesk(task) }));

    async function click({ name, book }: (typeof desks)[number]) {
      const outcome = await book(sale.eventId, order).then(
        ({ held, replayed }) =>
          ({ outcome: held ? 'served' : 'refused', detail: replayed ? 'replayed response' : 'booked' }) as const,
        (error: Error) => ({ outcome: 'refused', detail: error.message }) as const,
      );
      unanswered -= 1;
      stage.emit({ kind: 'request', actor: name, ...outcome });
    }
    const bookings = async () => {
      const { rows } = await db.execute<{ bookings: number }>(sql`
        select count(*)::int as bookings from bookings where user_id = ${userId}`);
      return rows[0]?.bookings ?? Number.NaN;
    };

    await Promise.all(desks.map(click));
    const atOnce = await bookings();
    stage.emit({ kind: 'scene', what: 'Redis loses its data' });
    await stage.forget();
    for (const desk of desks.slice(-1)) await click(desk);
    return { 'at-once': atOnce, 'after-redis-forgot': await bookings() };
  },
});
