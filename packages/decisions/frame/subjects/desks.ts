import { bookingDesk } from '@minitickets/api/booking/booking-desk';
import { type HoldOrder, type HoldOutcome, holdBatches } from '@minitickets/api/booking/hold-batches';
import { sql } from 'drizzle-orm';
import type { BookingTask, Stage } from '../arena.ts';
import { gateUntil, holdMessages } from '../interleaving/barriers.ts';
import type { House } from './house.ts';

/** Books as a task does. */
export type Book = (eventId: string, order: HoldOrder) => Promise<HoldOutcome>;

/** The shipped writing of bookings, on this task's connections: an order goes into its event's next transaction. */
export function shippedWriting({ writingPool: pool }: BookingTask): Book {
  return holdBatches({ pool, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, onSoldOut: () => {} });
}

/** The whole shipped desk: what is known of a key, the gate of a sold-out event, and then the writing. */
export function shippedDesk(task: BookingTask): Book {
  return bookingDesk({ ...task, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, log: silent });
}

export const HOLD_SECONDS = 600;

/** Opens a desk at each of so many tasks, and lets people come to them. */
export async function openDesks(stage: Stage, count: number, openDesk: (task: BookingTask) => Book) {
  const { db } = await stage.connectPostgres('observer');
  const tasks = await stage.bookingTasks(count);
  let maySend = async () => {};
  for (const { writingPool } of tasks) {
    holdMessages(writingPool, async ({ inTransaction }) => {
      if (inTransaction) await maySend();
    });
  }
  const desks = tasks.map((task) => ({ name: task.name, book: openDesk(task) }));

  return {
    /** For looking at what has become of it all. */
    db,

    /**
     * They come to all tasks at the same moment, and want a place each. No transaction writes before every task has one under
     * way, which has read what it decides from or waits for a lock: all of them begin before the first one ends.
     */
    async rush(house: House, people: readonly string[]) {
      let busy = desks.length;
      maySend = gateUntil('all tasks have begun their transaction', async () => {
        const { rows } = await db.execute<{ begun: number }>(sql`
          select count(*)::int as begun from pg_stat_activity
          where datname = current_database() and application_name like 'minitickets task-%'
            and (state = 'idle in transaction' or wait_event_type = 'Lock')`);
        return (rows[0]?.begun ?? 0) >= busy;
      });
      await Promise.all(
        desks.map(async (desk, index) => {
          const own = people.filter((_, nth) => nth % desks.length === index);
          await Promise.all(own.map((person) => askForAPlace(stage, desk, house, person)));
          busy -= 1;
        }),
      );
    },

    /** They come one after the other, to the tasks in turn, and want a place each. */
    async queue(house: House, people: readonly string[]) {
      for (const [index, person] of people.entries()) {
        await askForAPlace(stage, desks[index % desks.length] as (typeof desks)[number], house, person);
      }
    },
  };
}

/** Who meets an error has no place either, and is counted as one who wanted it. */
async function askForAPlace(stage: Stage, desk: { name: string; book: Book }, house: House, userId: string) {
  const order = { userId, lines: [{ ticketTypeId: house.ticketTypeId, quantity: 1 }] };
  const outcome = await desk.book(house.eventId, order).then(
    ({ held }): 'served' | 'refused' => (held ? 'served' : 'refused'),
    () => 'failed' as const,
  );
  stage.emit({ kind: 'request', actor: desk.name, outcome });
}

const quiet = () => {};
const silent: Parameters<typeof bookingDesk>[0]['log'] = {
  ...{
    level: 'silent',
    fatal: quiet,
    error: quiet,
    warn: quiet,
    info: quiet,
    debug: quiet,
    trace: quiet,
    silent: quiet,
  },
  child: () => silent,
};
