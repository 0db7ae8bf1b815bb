import { drain, type Ending } from '@minitickets/api/drain';
import { startBalancer } from '@minitickets/stack/balancer';
import { sql } from 'drizzle-orm';
import type { Stage } from '../frame/arena.ts';
import { defineExperiment } from '../frame/experiment.ts';
import { until } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { type ApiTask, startApiTask } from '../frame/subjects/api-task.ts';
import { type EventOnSale, openEvent } from '../frame/subjects/event-on-sale.ts';
import { type Answer, buyersOf } from './buyers.ts';
import { closeAtOnce, exitAtOnce } from './naive.ts';

const TASKS = 2;
/** Requests per task and wave. */
const AT_EACH_TASK = 5;
const AT_ONCE = TASKS * AT_EACH_TASK;
const TIMES = 4;
/** The load balancer polls every second and waits two for an answer. */
const NOTICED_WITHIN_MS = 10_000;

type End = (task: Ending & { exit: () => void }) => Promise<void>;
type Measure = 'in-flight' | 'half-sent' | 'afterwards';

const order = { file: 'apps/api/src/drain.ts', region: 'order' };
const naive = (region: string) => ({ file: 'packages/decisions/deploy-without-drops/naive.ts', region });

export default defineExperiment<End, Measure>({
  name: 'deploy-without-drops',
  claim: 'A task stops without dropping a request: every request that reaches the load balancer is answered.',
  load: `${TASKS} API tasks behind the load balancer. ${AT_ONCE} bookings are in flight, held up by a lock, and the heads of ${AT_ONCE} more have arrived, half of each at either task. One task gets SIGTERM. The bodies follow, the lock is released, and after the task has stopped ${AT_ONCE} more bookings arrive.`,
  measures: {
    'in-flight': `of ${AT_ONCE} bookings in flight, dropped`,
    'half-sent': `of ${AT_ONCE} half-sent bookings, dropped`,
    afterwards: `of ${AT_ONCE} later bookings, dropped`,
  },
  naive: {
    'exit-at-once': {
      what: 'the process exits on SIGTERM',
      subject: exitAtOnce,
      differences: [{ shipped: order, instead: naive('exit-at-once') }],
      mostChangedLines: 5,
      // Later requests are refused a connection, and the load balancer sends them to the other task.
      fails: { 'in-flight': exactly(AT_EACH_TASK), 'half-sent': exactly(AT_EACH_TASK), afterwards: exactly(0) },
    },
    'close-at-once': {
      what: 'closes its listener at once and finishes in-flight requests',
      subject: closeAtOnce,
      differences: [{ shipped: order, instead: naive('close-at-once') }],
      mostChangedLines: 2,
      fails: { 'in-flight': exactly(0), 'half-sent': exactly(AT_EACH_TASK), afterwards: exactly(0) },
    },
  },
  shipped: {
    what: 'reports not ready, serves until the load balancer has noticed, then closes',
    subject: drain,
    holds: { 'in-flight': exactly(0), 'half-sent': exactly(0), afterwards: exactly(0) },
  },
  mutation: {
    what: 'reports not ready and closes at once',
    subject: (task) => drain({ ...task, waitForBalancers: async () => {} }),
  },
  prediction: {
    question: `${AT_ONCE} bookings are half-sent to ${TASKS} tasks when one of them closes its listener, finishes in-flight requests and exits. How many buyers get an error?`,
    arm: 'close-at-once',
    measure: 'half-sent',
  },

  async run(stage, end) {
    const { db } = await stage.connectPostgres('observer');
    const [ending, staying] = await Promise.all([startApiTask(stage, 'task-1'), startApiTask(stage, 'task-2')]);
    const balancer = await startBalancer({ host: '127.0.0.1', tasks: [ending.origin, staying.origin] });
    stage.onClose(() => balancer.stop(0));
    const sale = await openEvent(db, { capacity: TIMES * AT_ONCE, people: AT_ONCE });
    const buyers = await buyersOf(sale, ending, balancer.url);
    stage.onClose(buyers.leave);
    const arrived = bookingsAt([ending, staying]);
    const everybody = Array.from({ length: AT_ONCE }, (_, nth) => nth);
    const tell = teller(stage);
    const bookAll = () => Promise.all(everybody.map(buyers.book));

    stage.emit({ kind: 'scene', what: 'normal operation' });
    tell(await bookAll());

    const lock = await lockEvent(stage, sale);
    const inFlight = bookAll();
    await until('all are in flight', () => arrived() === 2 * AT_ONCE);
    const halfSent = await Promise.all(everybody.map(buyers.begin));

    stage.emit({ kind: 'scene', what: 'task-1 gets SIGTERM' });
    const task = partsOf(ending);
    const ended = end({
      ...task,
      waitForBalancers: () =>
        until('the load balancer has noticed', () => !balancer.tasksInTurn().includes(ending.origin), {
          deadlineMs: NOTICED_WITHIN_MS,
        }),
    });
    await until('it has started to drain', () => ending.lifecycle.draining || !ending.app.server.listening);
    let answered = 0;
    const rest = Promise.all(halfSent.map(({ send }) => send().finally(() => (answered += 1))));
    await until('each has arrived or failed', () => arrived() + answered >= 3 * AT_ONCE);
    await lock.release();
    const [first, second] = [await inFlight, await rest];
    tell(first);
    tell(second);
    await until('it has closed its listener', () => !ending.app.server.listening, {
      deadlineMs: NOTICED_WITHIN_MS,
    });
    // Nothing is in flight any more. Its idle connections would last until the overall deadline.
    task.exit();
    await ended;
    stage.emit({ kind: 'scene', what: 'task-1 has stopped' });
    const afterwards = await bookAll();
    tell(afterwards);

    const dropped = async (answers: Answer[]) => answers.length - (await booked(db, answers));
    return {
      'in-flight': await dropped(first),
      'half-sent': await dropped(second),
      afterwards: await dropped(afterwards),
    };
  },
});

/** The parts of a task that can be closed, and the exit of its process, where the kernel closes the rest. */
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

/** Returns a counter of the bookings that have arrived at these tasks. */
function bookingsAt(tasks: ApiTask[]) {
  let arrived = 0;
  for (const { app } of tasks) {
    app.server.on('request', ({ method }: { method: string }) => {
      if (method === 'POST') arrived += 1;
    });
  }
  return () => arrived;
}

/** Locks an event as another booking would, so that bookings stay in flight until the release. */
async function lockEvent(stage: Stage, { eventId }: EventOnSale) {
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

/** Emits the responses to buyers, in order. */
function teller(stage: Stage) {
  let answered = 0;
  return (answers: Answer[]) => {
    for (const { bookingId, servedBy } of answers) {
      if (bookingId !== null) answered += 1;
      stage.emit({ kind: 'request', actor: servedBy, outcome: bookingId === null ? 'failed' : 'served' });
      stage.emit({ kind: 'level', name: 'buyers with a booking', value: answered, most: TIMES * AT_ONCE });
    }
  };
}

/** Counts the buyers whose confirmed response matches a booking in PostgreSQL. */
async function booked(db: ApiTask['db'], answers: Answer[]) {
  const ids = answers.flatMap(({ bookingId }) => bookingId ?? []);
  const { rows } = await db.execute<{ booked: number }>(sql`
    select count(*)::int as booked from bookings where id = any(${sql.param(ids)}::uuid[])`);
  return rows[0]?.booked ?? Number.NaN;
}
