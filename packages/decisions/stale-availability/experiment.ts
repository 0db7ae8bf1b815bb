import { openShopWindow, toEvent } from '@minitickets/api/caching/shop-window';
import { subscribeToEvents } from '@minitickets/api/queries/event-messages';
import { eventByIdOrSlug } from '@minitickets/api/queries/events';
import { closeGates } from '@minitickets/api/queries/inventory-gate';
import { sql } from 'drizzle-orm';
import { defineExperiment } from '../frame/experiment.ts';
import { until } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { openEvent } from '../frame/subjects/event-on-sale.ts';
import { statementsRun } from '../frame/subjects/statements-run.ts';
import { cacheAside, noCache, oneForAll } from './naive.ts';
import type { OpenTask, Task, TaskStores } from './task.ts';

type Measure = 'queries' | 'own-edit-missing' | 'shown-as-free';

const TASKS = 3;
const READERS = 256;
const MISSES = 2;
/** A task that hears of a closed gate does so in milliseconds; one that doesn't never does, because its clock stands still. */
const HEARING_MS = 2_000;

/** The task as it ships: the public reads the shop window, people who edit read PostgreSQL. */
const shippedTask: OpenTask = ({ db, redis, nowMs }, onMessage) => {
  const shopWindow = openShopWindow({ db, redis }, nowMs);
  const unsubscribe = onMessage && subscribeToEvents(redis, onMessage);
  return {
    read: async (id) => JSON.parse(String((await shopWindow.event(id))?.answer.body)),
    readOwn: async (id) => toEvent((await eventByIdOrSlug(db, id)) ?? missing()),
    changed: shopWindow.changed,
    close: () => {
      unsubscribe?.();
      shopWindow.close();
    },
  };
};

const cache = { file: 'apps/api/src/caching/answer-cache.ts', region: 'flight' };
const ownWrites = { file: 'apps/api/src/routes/events.ts', region: 'own-writes' };
const naive = (region: string) => ({ file: 'packages/decisions/stale-availability/naive.ts', region });

export default defineExperiment<OpenTask, Measure>({
  name: 'stale-availability',
  claim:
    'However many people look, a task reads an event once a second; and nobody who edits it, and nobody at all after it has sold out, sees an older answer.',
  load: `${TASKS} tasks, on a clock that stands still. ${READERS} people read an event at one task at the same instant, ${MISSES} times, a second apart. Then its organiser changes the price at the first task and reads the event at each. Then it sells out, and everybody reads it at each.`,
  measures: {
    queries: `queries for ${MISSES} times ${READERS} readers`,
    'own-edit-missing': `of ${TASKS} tasks, show the organiser the price from before their own edit`,
    'shown-as-free': `of ${TASKS} tasks, show tickets of an event that has sold out`,
  },
  naive: {
    'no-cache': {
      what: 'no cache: a query for each reader',
      subject: noCache,
      differences: [{ shipped: cache, instead: naive('no-cache') }],
      mostChangedLines: 34,
      fails: {
        queries: exactly(MISSES * READERS),
        'own-edit-missing': exactly(0),
        'shown-as-free': exactly(0),
      },
    },
    'cache-aside': {
      what: 'a cache without single-flight: each miss makes a query',
      subject: cacheAside(shippedTask),
      differences: [{ shipped: cache, instead: naive('cache-aside') }],
      mostChangedLines: 40,
      // A cache stampede: the cache saves nothing at the instant at which it is needed.
      fails: {
        queries: exactly(MISSES * READERS),
        'own-edit-missing': exactly(0),
        'shown-as-free': exactly(0),
      },
    },
    'one-for-all': {
      what: 'single-flight, and the same cache for people who edit; other tasks learn of a change when it expires',
      subject: oneForAll,
      differences: [{ shipped: ownWrites, instead: naive('one-for-all') }],
      mostChangedLines: 20,
      fails: {
        queries: exactly(MISSES),
        'own-edit-missing': exactly(TASKS - 1),
        'shown-as-free': exactly(TASKS),
      },
    },
  },
  shipped: {
    what: 'single-flight; edits and closed gates are published to all tasks; people who edit read PostgreSQL',
    subject: shippedTask,
    holds: { queries: exactly(MISSES), 'own-edit-missing': exactly(0), 'shown-as-free': exactly(0) },
  },
  mutation: {
    what: 'the tasks hear no messages',
    subject: (stores) => {
      const task = shippedTask(stores);
      task.close();
      return task;
    },
  },
  prediction: {
    question: `A cache keeps an answer for a second, and ${READERS} people read the event at the instant at which it expires, twice. How many queries does the cache make if each miss makes one?`,
    arm: 'cache-aside',
    measure: 'queries',
  },

  async run(stage, openTask) {
    const { db } = await stage.connectPostgres('observer');
    const clock = { ms: 0 };
    const stores = await Promise.all(
      Array.from({ length: TASKS }, async (_, nth) => ({
        redis: await stage.connectRedis(),
        // One connection for reads, which counts what it runs.
        db: (await stage.connectPostgres(`task-${nth + 1}`, 2)).db,
        nowMs: () => clock.ms,
      })),
    );
    const tasks = stores.map((each) => openTask(each));
    for (const task of tasks) stage.onClose(task.close);
    const [first] = tasks as [Task];
    const [{ db: firstDb, redis }] = stores as [TaskStores];
    const { eventId, ticketTypeId } = await openEvent(db, { capacity: 1, people: 0 });

    const before = await statementsRun(firstDb);
    for (let miss = 0; miss < MISSES; miss += 1) {
      clock.ms += 1_000;
      await Promise.all(Array.from({ length: READERS }, () => first.read(eventId)));
    }
    const queries = (await statementsRun(firstDb)) - before;
    stage.emit({ kind: 'request', actor: 'task-1', outcome: 'served', detail: `${MISSES * READERS} readers` });
    stage.emit({ kind: 'level', name: 'queries', value: queries, most: MISSES * READERS });

    const atEach = <Answer>(ask: (task: Task) => Promise<Answer>) => Promise.all(tasks.map(ask));
    await atEach(({ readOwn }) => readOwn(eventId));
    await db.execute(sql`update ticket_types set price_minor = 9900 where id = ${ticketTypeId}`);
    await first.changed(eventId);
    const own = await atEach(({ readOwn }) => readOwn(eventId));
    const missingEdit = own.filter(({ ticketTypes }) => ticketTypes[0]?.priceMinor !== 9_900).length;
    stage.emit({ kind: 'request', actor: 'the organiser', outcome: 'served', detail: `${missingEdit} old prices` });

    await atEach(({ read }) => read(eventId));
    await db.execute(sql`update ticket_types set held = capacity where id = ${ticketTypeId}`);
    const soldOut = { ticketTypeId, ticketTypeName: 'Stalls', releases: 0 };
    await closeGates(redis, eventId, [soldOut], { until: performance.now() + 900, rememberedSince: 0 });
    const shownAsFree = async () => {
      const shown = await atEach(({ read }) => read(eventId));
      return shown.filter(({ ticketTypes }) => ticketTypes[0]?.available !== 0).length;
    };
    const heard = until('nobody shows tickets', async () => (await shownAsFree()) === 0, { deadlineMs: HEARING_MS });
    await heard.catch(() => {});
    const free = await shownAsFree();
    stage.emit({ kind: 'request', actor: 'everybody', outcome: 'served', detail: `${free} tasks show tickets` });
    return { queries, 'own-edit-missing': missingEdit, 'shown-as-free': free };
  },
});

function missing(): never {
  throw new Error('the event is gone');
}
