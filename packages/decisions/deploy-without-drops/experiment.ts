import { drain, type Ending } from '@minitickets/api/drain';
import { startBalancer } from '@minitickets/stack/balancer';
import { sql } from 'drizzle-orm';
import type { Stage } from '../frame/arena.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { until } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { type ApiTask, startApiTask } from '../frame/subjects/api-task.ts';
import { type House, openHouse } from '../frame/subjects/house.ts';
import { type Answer, buyersOf } from './buyers.ts';
import { closeAtOnce, exitAtOnce } from './naive.ts';

const TASKS = 2;
/** As many requests arrive at each task, each time. */
const AT_EACH_TASK = 5;
const AT_ONCE = TASKS * AT_EACH_TASK;
const TIMES = 4;
/** The balancer looks each second, and waits two for an answer. */
const LOOKED_AT_WITHIN_MS = 10_000;

type End = (task: Ending & { exit: () => void }) => Promise<void>;
type Measure = 'under-way' | 'half-way' | 'afterwards';

const order = { file: 'apps/api/src/drain.ts', region: 'order' };
const naive = (region: string) => ({ file: 'packages/decisions/deploy-without-drops/naive.ts', region });

export default defineExperiment<End, Measure>({
  name: 'deploy-without-drops',
  claim: 'A task that ends is noticed by nobody: every request that reaches the balancer is answered.',
  load: `${TASKS} API tasks behind the balancer. ${AT_ONCE} bookings are under way, held up by a lock, and of ${AT_ONCE} more the heads have arrived, each task having its half. One task is told to end. The bodies follow, the lock is released, and when the task has ended ${AT_ONCE} more bookings come.`,
  measures: {
    'under-way': `of ${AT_ONCE} bookings that were under way: dropped`,
    'half-way': `of ${AT_ONCE} bookings that were half-way to a task: dropped`,
    afterwards: `of ${AT_ONCE} bookings that came afterwards: dropped`,
  },
  naive: {
    'exit-at-once': {
      what: 'the process ends when it is told to',
      subject: exitAtOnce,
      differences: [{ shipped: order, instead: naive('exit-at-once') }],
      mostChangedLines: 5,
      // What comes afterwards is refused a connection, and the balancer gives it to the other task.
      fails: { 'under-way': exactly(AT_EACH_TASK), 'half-way': exactly(AT_EACH_TASK), afterwards: exactly(0) },
    },
    'close-at-once': {
      what: 'closes its listener at once, and finishes what it has begun',
      subject: closeAtOnce,
      differences: [{ shipped: order, instead: naive('close-at-once') }],
      mostChangedLines: 2,
      fails: { 'under-way': exactly(0), 'half-way': exactly(AT_EACH_TASK), afterwards: exactly(0) },
    },
  },
  shipped: {
    what: 'says that it is not ready, serves until the balancer has seen it, then closes',
    subject: drain,
    holds: { 'under-way': exactly(0), 'half-way': exactly(0), afterwards: exactly(0) },
  },
  mutation: {
    what: 'it is not ready any more, and waits for nobody to see it',
    subject: (task) => drain({ ...task, lookAway: async () => {} }),
  },
  prediction: {
    question: `${AT_ONCE} bookings are half-way to ${TASKS} tasks when one of them closes its listener, finishes what runs, and ends. How many buyers get an error?`,
    arm: 'close-at-once',
    measure: 'half-way',
  },

  async run(stage, end) {
    const { db } = await stage.connectPostgres('observer');
    const [ending, staying] = await Promise.all([startApiTask(stage, 'task-1'), startApiTask(stage, 'task-2')]);
    const balancer = await startBalancer({ host: '127.0.0.1', tasks: [ending.origin, staying.origin] });
    stage.onClose(() => balancer.stop(0));
    const house = await openHouse(db, { capacity: TIMES * AT_ONCE, people: AT_ONCE });
    const buyers = await buyersOf(house, ending, balancer.url);
    stage.onClose(buyers.leave);
    const arrived = bookingsAt([ending, staying]);
    const everybody = Array.from({ length: AT_ONCE }, (_, nth) => nth);
    const tell = teller(stage);
    const bookAll = () => Promise.all(everybody.map(buyers.book));

    stage.emit({ kind: 'scene', what: 'all is well' });
    tell(await bookAll());

    const lock = await lockHouse(stage, house);
    const underWay = bookAll();
    await until('all are under way', () => arrived() === 2 * AT_ONCE);
    const halfWay = await Promise.all(everybody.map(buyers.begin));

    stage.emit({ kind: 'scene', what: 'task-1 is told to end' });
    const task = partsOf(ending);
    const ended = end({
      ...task,
      lookAway: () =>
        until('the balancer has seen it', () => !balancer.tasksInTurn().includes(ending.origin), {
          deadlineMs: LOOKED_AT_WITHIN_MS,
        }),
    });
    await until('it has begun to end', () => ending.lifecycle.draining || !ending.app.server.listening);
    let answered = 0;
    const rest = Promise.all(halfWay.map(({ send }) => send().finally(() => (answered += 1))));
    await until('each has arrived or failed', () => arrived() + answered >= 3 * AT_ONCE);
    await lock.release();
    const [first, second] = [await underWay, await rest];
    tell(first);
    tell(second);
    await until('it has closed its listener', () => !ending.app.server.listening, {
      deadlineMs: LOOKED_AT_WITHIN_MS,
    });
    // Nothing is under way any more. What idle connections it still has would end with the deadline of the whole.
    task.exit();
    await ended;
    stage.emit({ kind: 'scene', what: 'task-1 has ended' });
    const afterwards = await bookAll();
    tell(afterwards);

    const dropped = async (answers: Answer[]) => answers.length - (await booked(db, answers));
    return {
      'under-way': await dropped(first),
      'half-way': await dropped(second),
      afterwards: await dropped(afterwards),
    };
  },
});

/** What of a task can end, and the end of its process: the kernel closes what it had open. */
function partsOf({ app, lifecycle, redis, db }: ApiTask) {
  let storesClosed: Promise<unknown> | undefined;
  const closeStores = async () => {
    redis.disconnect();
    storesClosed ??= db.$client.end();
    await storesClosed;
  };
  const exit = () => {
    app.server.close();
    app.server.closeAllConnections();
    void closeStores();
  };
  return { lifecycle, closeServer: () => app.close(), closeStores, exit };
}

/** Counts the bookings that arrive at these tasks. */
function bookingsAt(tasks: ApiTask[]) {
  let arrived = 0;
  for (const { app } of tasks) {
    app.server.on('request', ({ method }: { method: string }) => {
      if (method === 'POST') arrived += 1;
    });
  }
  return () => arrived;
}

/** Locks the places of an event, as another booking would, so that bookings stay under way until it is released. */
async function lockHouse(stage: Stage, { eventId }: House) {
  const { db } = await stage.connectPostgres('the lock');
  const client = await db.$client.connect();
  await client.query('begin');
  await client.query('select from events where id = $1 for update', [eventId]);
  return {
    async release() {
      await client.query('commit');
      client.release();
    },
  };
}

/** Tells of buyers what they were told, in the order in which they came. */
function teller(stage: Stage) {
  let answered = 0;
  return (answers: Answer[]) => {
    for (const { bookingId, servedBy } of answers) {
      if (bookingId !== null) answered += 1;
      stage.emit({ kind: 'request', actor: servedBy, outcome: bookingId === null ? 'failed' : 'served' });
      stage.emit({ kind: 'level', name: 'buyers who have their booking', value: answered, most: TIMES * AT_ONCE });
    }
  };
}

/** How many of these buyers have the booking that they were told of. */
async function booked(db: ApiTask['db'], answers: Answer[]) {
  const ids = answers.flatMap(({ bookingId }) => bookingId ?? []);
  const { rows } = await db.execute<{ booked: number }>(sql`
    select count(*)::int as booked from bookings where id = any(${sql.param(ids)}::uuid[])`);
  return rows[0]?.booked ?? Number.NaN;
}
