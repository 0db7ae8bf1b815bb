import { bookingDesk } from '@minitickets/api/booking/booking-desk';
import { type HoldOrder, type HoldOutcome, holdBatches } from '@minitickets/api/booking/hold-batches';
import { sql } from 'drizzle-orm';
import type { BookingTask, Stage } from '../arena.ts';
import { gateUntil, holdMessages } from '../interleaving/barriers.ts';
import type { EventOnSale } from './event-on-sale.ts';

/** A task's booking function. */
export type Book = (eventId: string, order: HoldOrder) => Promise<HoldOutcome>;

/** The shipped group commit on this task's connections: an order joins its event's next transaction. */
export function shippedWriting({ writingPool: pool }: BookingTask): Book {
  return holdBatches({ pool, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, onSoldOut: () => {} });
}

/** The whole shipped booking desk: idempotency, the inventory gate, and group commit. */
export function shippedDesk(task: BookingTask): Book {
  return bookingDesk({ ...task, holdSeconds: HOLD_SECONDS, refusalBody: JSON.stringify, log: silent });
}

export const HOLD_SECONDS = 600;

/** Opens a booking desk at each of `count` tasks. */
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
    /** For reading the results. */
    db,

    /**
     * All buyers ask for one ticket concurrently, at all tasks. Every write is held until each task has a transaction in flight that
     * has read its inventory or waits for a lock, so all begin before the first one ends.
     */
    async rush(sale: EventOnSale, people: readonly string[]) {
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
          await Promise.all(own.map((person) => askForTicket(stage, desk, sale, person)));
          busy -= 1;
        }),
      );
    },

    /** The buyers ask for one ticket each, sequentially, round robin over the tasks. */
    async queue(sale: EventOnSale, people: readonly string[]) {
      for (const [index, person] of people.entries()) {
        await askForTicket(stage, desks[index % desks.length] as (typeof desks)[number], sale, person);
      }
    },
  };
}

/** An error counts as a failed request: the buyer has no ticket either. */
async function askForTicket(stage: Stage, desk: { name: string; book: Book }, sale: EventOnSale, userId: string) {
  const order = { userId, lines: [{ ticketTypeId: sale.ticketTypeId, quantity: 1 }] };
  const outcome = await desk.book(sale.eventId, order).then(
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
